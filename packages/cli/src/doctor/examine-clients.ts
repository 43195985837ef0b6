import { type Effect, findLosses, type Loss } from "../profiles/losses.ts";
import type { Profile } from "../profiles/profile.ts";
import { PROFILES } from "../profiles/table.ts";
import { formatTable, type TableRow } from "../terminal/layout.ts";
import type { Listing } from "../terminal/listing.ts";
import type { Styles } from "../terminal/terminal.ts";
import type { Text } from "../terminal/text.ts";
import type { Finding } from "./finding.ts";

const EFFECTS: readonly Effect[] = ["refuses", "omits", "cuts", "drops", "risks"];

const REMEDIES: { readonly [effect in Effect]: string } = {
  refuses: "Correct the name or the schema of the tool.",
  omits: "Shorten the name of the server or the tool, or split the server; adapt: true of defineServer shortens names.",
  cuts: "Shorten the description or the schema, and put what matters most first.",
  drops: "State it in the description of the tool or the parameter.",
  risks: "Return an object with the union in a property, or use adapt: true of defineServer.",
};

/** Finds the tools that clients would refuse or change; without a choice of clients, only those that they refuse or omit. */
export function examineClients(losses: readonly Loss[], chosen: boolean): Finding[] {
  const shown = losses.filter(({ effect }) => chosen || effect === "refuses" || effect === "omits");
  const groups = new Map<string, { loss: Loss; titles: string[] }>();
  for (const loss of shown) {
    const key = JSON.stringify([loss.tool, loss.effect, loss.what]);
    const group = groups.get(key) ?? { loss, titles: [] };
    group.titles.push(PROFILES.find(({ id }) => id === loss.client)?.title ?? loss.client);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ loss: { tool, effect, what }, titles }) => ({
    level: "warning",
    message: `Tool ${tool}: ${titles.join(", ")} ${titles.length === 1 ? effect : effect.replace(/s$/, "")} ${what}.`,
    remedy: REMEDIES[effect],
    item: { kind: "tool", key: tool },
  }));
}

/** All losses of the chosen clients, or of every client. */
export function lossesOf(server: string, { tools }: Listing, profiles: readonly Profile[] = PROFILES): Loss[] {
  return profiles.flatMap((profile) => findLosses(profile, server, tools));
}

/** Formats how many tools each client would refuse, omit or change; clients that change nothing have no row. */
export function formatClients(losses: readonly Loss[], styles: Styles): Text {
  const rows = PROFILES.flatMap(({ id, title }): TableRow[] => {
    const own = losses.filter(({ client }) => client === id);
    const counts = EFFECTS.map(
      (effect) => new Set(own.filter((loss) => loss.effect === effect).map(({ tool }) => tool)).size,
    );
    return own.length === 0 ? [] : [[title, ...counts.map((count) => (count === 0 ? "–" : String(count)))]];
  });
  return formatTable("Tools that a client", EFFECTS, rows, styles);
}

/** Claude accepts only parameter names of this form. */
const PROPERTY_NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/** Looks for names that a client rejects although the profiles of clients do not say so. */
export function examineListing({ tools }: Listing): Finding[] {
  return tools.flatMap(({ name, inputSchema }) => {
    const { properties = {} } = inputSchema as { readonly properties?: object };
    const rejected = Object.keys(properties).filter((property) => !PROPERTY_NAME.test(property));
    return rejected.map((property): Finding => {
      return {
        level: "warning",
        message: `The parameter '${property}' of '${name}' has a name that Claude rejects.`,
        remedy: "Use at most 64 letters, digits, _, - and dots.",
        item: { kind: "tool", key: name },
      };
    });
  });
}
