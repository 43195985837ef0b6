import type { CallResult, ToolDescription } from "proffer";
import { resultLosses, toolChanges } from "../packages/cli/src/lab/changes.ts";
import type { Report } from "../packages/cli/src/lab/report.ts";
import { fullName } from "../packages/cli/src/lab/report.ts";
import { resultSeenBy, toolsSeenBy } from "../packages/cli/src/profiles/losses.ts";
import type { Profile } from "../packages/cli/src/profiles/profile.ts";
import { type Conversations, NAME } from "./conversations.ts";

/** The measured cells of a client: what was seen, in the form in which the table says it. */
export interface Measured {
  readonly revision?: string;
  readonly tools: { readonly firstPage: boolean; readonly deferred: boolean };
  /** The names that the model sees, by the names in the list. */
  readonly toolNames: { readonly [tool: string]: string };
  /** The keywords that do not reach the model, by tool. */
  readonly schemas: { readonly [tool: string]: readonly string[] };
  /** The parts of results that do not reach the model, by tool. */
  readonly results: { readonly [tool: string]: readonly string[] };
  readonly resources: boolean;
  readonly questions: readonly string[];
}

export function measure({ samples, many, pages }: Conversations): Measured {
  const shown = samples.tools.filter((tool) => tool.shown !== undefined);
  return {
    ...(samples.revision !== undefined && { revision: samples.revision }),
    tools: { firstPage: pages.tools.length < 12, deferred: many.tools.some((tool) => tool.shown === undefined) },
    toolNames: namesOf(
      shown.map(({ tool, shown }) => [tool, shown === undefined ? "" : fullName(shown).replace(" ", "__")]),
    ),
    schemas: lossesOf(samples.tools.map((tool) => [tool.tool, dropped(tool.changes)])),
    results: lossesOf(samples.calls.map(({ tool, losses }) => [tool, losses])),
    resources: samples.ownTools.some((name) => /read.*resource/i.test(name)),
    questions: questionsOf(samples),
  };
}

/** What the table says, by the same measure. */
export function expected(profile: Profile, { samples }: Conversations): Partial<Measured> {
  const listed = samples.tools.map((tool) => tool.listed);
  const seen = toolsSeenBy(profile, NAME, listed);
  const { revision, tools, toolNames, schemas, results, resources, questions } = profile;
  return {
    ...(revision && { revision: revision.value }),
    ...(tools && { tools: { firstPage: tools.value.firstPage === true, deferred: tools.value.beyond === "deferred" } }),
    ...(toolNames && { toolNames: namesOf(seen.map(({ original, name }) => [original, name])) }),
    ...(schemas && { schemas: lossesOf(seen.map((tool) => [tool.original, dropped(changesOf(tool, listed))])) }),
    ...(results && { results: lossesOf(samples.calls.map((call) => [call.tool, expectedLosses(profile, call)])) }),
    ...(resources && { resources: resources.value }),
    ...(questions && { questions: [...questions.value].sort() }),
  };
}

/** The cells where the table says something else. */
export function compareCells(profile: Profile, measured: Measured, said: Partial<Measured>): string[] {
  return Object.entries(said).flatMap(([name, value]) => {
    const found = measured[name as keyof Measured];
    if (JSON.stringify(sorted(found)) === JSON.stringify(sorted(value))) return [];
    return [
      `${profile.title}, ${name}: measured ${JSON.stringify(found)}, but the table says ${JSON.stringify(value)}`,
    ];
  });
}

function changesOf(
  { original, inputSchema, ...tool }: { original: string } & ToolDescription,
  listed: readonly ToolDescription[],
) {
  const own = listed.find(({ name }) => name === original);
  return own === undefined ? [] : toolChanges(own, { ...tool, schema: inputSchema });
}

/** The keywords that are missing. Clients add keywords, which is no loss. */
function dropped(changes: readonly string[]): string[] {
  const names = changes.flatMap((change) => /^drops \/.*\/([^/]+)$/.exec(change)?.[1] ?? []);
  return [...new Set(names)].sort();
}

function expectedLosses(profile: Profile, { tool, result }: Report["calls"][number]): readonly string[] {
  const given = { content: [], ...(result as object) } as unknown as CallResult;
  return resultLosses(given, [resultSeenBy(profile, given, tool)]);
}

/** A short name and the long ones: the others follow the same pattern. */
function namesOf(names: readonly (readonly [tool: string, name: string])[]) {
  return Object.fromEntries(names.filter(([tool]) => tool === "words" || tool.startsWith("long_")));
}

function lossesOf(entries: readonly (readonly [string, readonly string[]])[]) {
  return Object.fromEntries(entries.filter(([, losses]) => losses.length > 0));
}

function questionsOf({ declared }: Report): string[] {
  const { elicitation, sampling, roots } = (declared?.capabilities ?? {}) as {
    readonly [name: string]: object | undefined;
  };
  const kinds =
    elicitation === undefined ? [] : Object.keys(elicitation).length > 0 ? Object.keys(elicitation) : ["form"];
  return [...kinds, ...(sampling ? ["sampling"] : []), ...(roots ? ["roots"] : [])].sort();
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
