import { UsageError } from "../support/usage-error.ts";
import { codex } from "./cuts/codex.ts";
import type { Cut } from "./cuts/cut.ts";
import { geminiCli } from "./cuts/gemini-cli.ts";
import { goose } from "./cuts/goose.ts";
import { zed } from "./cuts/zed.ts";
import type { Profile } from "./profile.ts";
import { PROFILES } from "./table.ts";

/** The clients whose source code was read: what they do exactly. */
const CUTS: { readonly [id: string]: Cut } = { codex, "gemini-cli": geminiCli, zed, goose };

/** Returns the profile with an id, such as "codex". @throws {UsageError} for an unknown one. */
export function findProfile(id: string): Profile {
  const profile = PROFILES.find((one) => one.id === id);
  if (profile !== undefined) return profile;
  const known = PROFILES.map((one) => one.id).join(", ");
  throw new UsageError("bad_option", `Unknown client ${JSON.stringify(id.slice(0, 80))}. Known clients: ${known}.`);
}

/** Returns what a client does with tools and results: as its source code, or as far as its profile says. */
export function cutOf(profile: Profile): Cut {
  return CUTS[profile.id] ?? cutByRules(profile);
}

function cutByRules({ toolNames, schemas, results }: Profile): Cut {
  const { pattern = "{tool}", characters, strict, max = Number.POSITIVE_INFINITY, beyond } = toolNames?.value ?? {};
  const { drops = [] } = schemas?.value ?? {};
  const { structuredOnly, blocks } = results?.value ?? {};
  return {
    names: (server, tools) =>
      tools.map((tool) => {
        const name = pattern.replace("{server}", () => server).replace("{tool}", () => tool);
        const clean = characters && !strict ? name.replaceAll(new RegExp(`[^${characters}]`, "g"), "_") : name;
        return beyond === "cut" ? clean.slice(0, max) : clean;
      }),
    input: (schema) => Object.fromEntries(Object.entries(schema).filter(([keyword]) => !drops.includes(keyword))),
    result({ content, structuredContent }) {
      if (structuredOnly && structuredContent !== undefined)
        return [{ type: "text", text: JSON.stringify(structuredContent) }];
      return blocks === undefined ? content : content.filter(({ type }) => blocks.includes(type));
    },
  };
}
