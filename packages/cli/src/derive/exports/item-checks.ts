import { type JsonSchemaObject, UsageError } from "proffer";
import { compileJsonSchema, MAX_SCHEMAS, type ManifestPrompt, type ManifestTool, tokensOf } from "proffer/derived";
import type ts from "typescript";
import type { DiagnosticCode } from "../model/diagnostics.ts";
import type { DerivedSchema } from "../model/json-schema.ts";
import { bytesOf, definitionOf, partsOf, weighSchema } from "../model/tool-size.ts";
import { countSchemas, describeSize } from "../types/schema-size.ts";
import { type Analysis, listNames, locate } from "./analysis.ts";
import type { FunctionContent, ModuleContent } from "./describe.ts";
import type { Candidate } from "./exports.ts";
import { choosesOption, throwsUnseenError } from "./function-body.ts";
import { joinsText } from "./result.ts";
import { mayReturnMore } from "./undeclared.ts";

/** Returns the content without the functions whose earlier names another function has, now or before. Reports each. */
export function withoutTakenAliases(
  analysis: Analysis,
  content: FunctionContent,
  candidates: readonly Candidate[],
): FunctionContent {
  const { tools, prompts } = content;
  if (![...tools, ...prompts].some(({ was }) => was !== undefined)) return content;
  const nodeOf = (path: readonly string[]) => candidates.find((each) => each.path.join() === path.join())?.node;
  const isFree = (item: ManifestTool | ManifestPrompt, index: number, items: readonly (typeof item)[]) => {
    const { name, was = [], binding } = item;
    const node = nodeOf(binding.path);
    for (const alias of was) {
      const other = items.find((each, at) => each.name === alias || (at < index && each.was?.includes(alias)));
      if (other === undefined || node === undefined) continue;
      const use = other.name === alias ? "the name" : "an earlier name";
      const { file, line } = locate(nodeOf(other.binding.path) ?? node);
      const message =
        other.name === name
          ? `'${name}' has the tag @was with its present name. Remove it.`
          : `'${name}' has the tag @was ${alias}, which is ${use} of '${other.name}' (${file}:${line}). Remove the tag, or rename '${other.name}'.`;
      analysis.report("PF1350", node, message);
      return false;
    }
    return true;
  };
  return { ...content, tools: tools.filter(isFree), prompts: prompts.filter(isFree) };
}

/** A schema of a function, and its subject: "input", "output", or an argument. */
export type NamedSchema = readonly [part: string, schema: JsonSchemaObject | undefined];

/**
 * Reports the schemas that the run-time would reject when the server starts. Returns whether there is none, so that a
 * function beyond a limit is left out alone.
 */
export function fitsLimits(analysis: Analysis, { name, node }: Candidate, schemas: readonly NamedSchema[]): boolean {
  let fits = true;
  for (const [part, schema] of schemas) {
    const error = schema && rejection(schema);
    if (error === undefined) continue;
    fits = false;
    const subject = `the ${part} of '${name}'`;
    if (countSchemas(schema as DerivedSchema) > MAX_SCHEMAS) analysis.report("PF1110", node, describeSize(subject));
    else analysis.report("PF1111", node, `${subject}: ${error.message.replace(UNSAFE, ".")}`);
  }
  return fits;
}

function rejection(schema: JsonSchemaObject): UsageError | undefined {
  try {
    compileJsonSchema(schema);
    return undefined;
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
}

/** The advice that only schemas written by hand can follow: no tag writes that keyword. */
const UNSAFE = /,? or add "unsafePattern": .*$/;

/** Reports facts about the served functions, each once for the module: they are true of all functions or of none. */
export function reportNotes(
  analysis: Analysis,
  file: ts.SourceFile,
  candidates: readonly Candidate[],
  { tools, prompts, resources }: ModuleContent,
): void {
  const kinds = new Map(
    [...tools, ...prompts, ...resources].map(({ binding }) => [binding.path.join("."), binding.result.kind]),
  );
  const served = candidates.filter(({ path }) => kinds.has(path.join(".")));
  const throwing = served.filter((candidate) => throwsUnseenError(analysis, candidate));
  if (throwing.length > 0 && !choosesOption(analysis, file, "errors")) {
    const remedy = 'Throw a ToolError, return fail("…"), or set errors: "message" in defineServer.';
    report(analysis, "PF3001", throwing, (s) => `throw${s} errors whose messages no model will see. ${remedy}`);
  }
  const returning = served.filter(({ path }) => kinds.get(path.join(".")) === "result");
  const effect = "It is sent unchanged and has no output schema; return the data itself to get one.";
  report(analysis, "PF3002", returning, (s) => `return${s} the result of the call itself. ${effect}`);
  const joining = served.filter((candidate) => joinsText(analysis, candidate));
  const lines = "For lines, end each with \\n; for a list, return string[].";
  report(analysis, "PF3003", joining, (s) => `yield${s} pieces of one text, which are joined as they are. ${lines}`);
  if (choosesOption(analysis, file, "closedResults")) return;
  const open = served.filter((candidate) => {
    const isDecided = candidate.doc.tags.some((tag) => tag.name === "closed");
    return !isDecided && kinds.get(candidate.path.join(".")) !== "result" && mayReturnMore(analysis, candidate);
  });
  const decision = "Add @closed to drop them, or @closed false if they may leave.";
  report(
    analysis,
    "PF3007",
    open,
    () =>
      `can send properties that the return type does not have, such as the password hash in the row of a database. ${decision}`,
  );
}

/** Reports a fact about some functions at the first of them. `predicate` gets the ending of its verb. */
function report(
  analysis: Analysis,
  code: DiagnosticCode,
  candidates: readonly Candidate[],
  predicate: (ending: "s" | "") => string,
): void {
  const [first] = candidates;
  if (first === undefined) return;
  const names = listNames(candidates.map(({ name }) => name));
  const message =
    candidates.length === 1
      ? `${names} ${predicate("s")}`
      : `${candidates.length} functions (${names}) ${predicate("")}`;
  analysis.report(code, first.node, message);
}

/** A larger schema is mostly a type of a library, of which the function needs a few properties. */
const MAX_SCHEMA = 16_000;
/** A part is named rather than the whole if it has at least this share of it. */
const DOMINANT = 0.5;
/** With a smaller share, a part is not worth mentioning: where types refer to each other, no single property costs much. */
const NOTABLE = 0.05;
/** A longer path does not help the author. */
const MAX_STEPS = 8;

/** The part of a schema that costs most. */
interface Costliest {
  readonly path: string;
  /** The bytes that the schema would not have without it, with the definitions that nothing else uses. */
  readonly bytes: number;
  readonly schema: JsonSchemaObject;
}

/** Warns of a schema that is so large that it costs every model that reads it. */
export function reportSize(analysis: Analysis, { name, node }: Candidate, tool: ManifestTool): void {
  const { inputSchema, outputSchema } = tool;
  reportSchema("input", inputSchema);
  if (outputSchema) reportSchema("output", outputSchema);

  function reportSchema(side: "input" | "output", schema: JsonSchemaObject): void {
    const bytes = bytesOf(schema);
    if (bytes <= MAX_SCHEMA) return;
    const size = `The ${side} schema of '${name}' has ${Math.round(bytes / 1000)} kB, about ${tokensOf(bytes).toLocaleString("en-US")} tokens for each model that reads it.`;
    const found = findCostliest(schema);
    const verb = side === "input" ? "Accept" : "Return";
    const isDominant = found !== undefined && found.bytes >= bytes * NOTABLE;
    const share = isDominant ? ` '${found.path}' is ${Math.round((found.bytes / bytes) * 100)} % of it.` : "";
    const view = viewOf(schema, isDominant ? found.schema : schema);
    const remedy = found
      ? ` ${verb} only the needed properties: ${view}, Omit, or an interface with only those.`
      : " Shorten its descriptions.";
    analysis.report("PF2301", node, `${size}${share}${remedy}`);
  }
}

/** Returns a type with some properties of a schema, as an example of the remedy. */
function viewOf(root: JsonSchemaObject, schema: JsonSchemaObject): string {
  const record = recordOf(root, schema);
  const name = /^#\/\$defs\/([A-Za-z_$][\w$]*)$/.exec(record.$ref ?? "")?.[1] ?? "T";
  const { properties = {} } = definitionOf(root, record) ?? record;
  const keys = Object.keys(properties).slice(0, 2);
  return `Pick<${name}, ${[...keys.map((key) => JSON.stringify(key)), "…"].join(" | ")}>`;
}

/** Returns the object of an array or a nullable value. */
function recordOf(root: JsonSchemaObject, schema: JsonSchemaObject): JsonSchemaObject {
  const parts = partsOf(definitionOf(root, schema) ?? schema);
  const [only] = parts;
  return parts.length === 1 && only && !only.step.startsWith(".") ? recordOf(root, only.schema) : schema;
}

/** Finds the property that costs most, and follows it while one of its parts has most of its bytes. */
export function findCostliest(root: JsonSchemaObject): Costliest | undefined {
  const weights = weighSchema(root);
  let holder = weights.body;
  let found: Costliest | undefined;
  let parts = partsOf(root);
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const costs = parts.map((part) => ({ ...part, bytes: weights.without(part.schema, holder) }));
    const [first, ...others] = costs;
    if (first === undefined) return found;
    const most = others.reduce((best, next) => (next.bytes > best.bytes ? next : best), first);
    if (found !== undefined && most.bytes < found.bytes * DOMINANT) return found;
    found = { path: `${found?.path ?? ""}${most.step}`.replace(/^\./, ""), bytes: most.bytes, schema: most.schema };
    const definition = definitionOf(root, most.schema);
    holder = definition ?? holder;
    parts = partsOf(definition ?? most.schema);
  }
  return found;
}
