import type { ToolDescription } from "../protocol/model.ts";
import { Refusal } from "./cuts/cut.ts";
import { cutOf } from "./find.ts";
import type { NameRules, Profile } from "./profile.ts";
import { findSchemaLosses } from "./schema-losses.ts";

/**
 * `refuses`: the client or its API does not accept the tool, or no tool of the server. `omits`: the tool is not shown.
 * `cuts`: a part is missing. `drops`: keywords or types are missing. `risks`: it was a problem, and may be one.
 */
export type Effect = "refuses" | "omits" | "cuts" | "drops" | "risks";

/** What a client does to a tool to the disadvantage of its model. */
export interface Loss {
  readonly client: Profile["id"];
  readonly tool: string;
  readonly effect: Effect;
  /** What is refused or missing, in words. */
  readonly what: string;
}

/** Finds what a client refuses or loses of a list of tools. */
export function findLosses(profile: Profile, server: string, tools: readonly ToolDescription[]): Loss[] {
  const { max = Number.POSITIVE_INFINITY, beyond } = profile.tools?.value ?? {};
  const rules = profile.toolNames?.value;
  const cut = cutOf(profile);
  const names = cut.names(
    server,
    tools.map((tool) => tool.name),
  );
  const used = new Map<string, string>();
  return tools.flatMap((tool, i) => {
    const found = findSchemaLosses(tool, profile.schemas?.value ?? {});
    const refusal = refusalOf(() => cut.input(tool.inputSchema));
    if (refusal !== undefined) found.push(["refuses", refusal]);
    if (i >= max && beyond === "omitted") found.push(["omits", `every tool after the first ${max}`]);
    const name = names[i] ?? tool.name;
    if (rules !== undefined) found.push(...nameLosses(rules, server, tool.name, name));
    const other = used.get(name);
    if (other !== undefined) found.push(["omits", `the name ${name}, which ${other} has too`]);
    used.set(name, tool.name);
    return found.map(([effect, what]) => ({ client: profile.id, tool: tool.name, effect, what }));
  });
}

function refusalOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

function nameLosses(rules: NameRules, server: string, tool: string, shown: string): (readonly [Effect, string])[] {
  const { pattern, characters, strict, max = Number.POSITIVE_INFINITY, beyond } = rules;
  const full = pattern.replace("{server}", () => server).replace("{tool}", () => tool);
  if (strict && !new RegExp(`^[${characters}]*$`).test(full))
    return [["refuses", `the name ${tool}: only ${characters} is allowed`]];
  if (full.length <= max) return [];
  if (beyond === "cut") return [["cuts", `the name to ${shown}`]];
  return [[beyond === "refused" ? "refuses" : "omits", `the name ${full}, which has more than ${max} characters`]];
}
