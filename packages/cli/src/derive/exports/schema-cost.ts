import type { JsonSchemaObject } from "proffer";
import { type ManifestTool, tokensOf } from "proffer/derived";
import { bytesOf, definitionOf, partsOf } from "../model/schema-size.ts";
import { SchemaWeights } from "../model/schema-weights.ts";
import type { Candidate } from "./exports.ts";
import type { Session } from "./session.ts";

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
export function reportSize(session: Session, { name, node }: Candidate, tool: ManifestTool): void {
  const { inputSchema, outputSchema } = tool;
  reportSchema("input", inputSchema);
  if (outputSchema) reportSchema("output", outputSchema);

  function reportSchema(side: "input" | "output", schema: JsonSchemaObject): void {
    const bytes = bytesOf(schema);
    if (bytes <= MAX_SCHEMA) return;
    const size = `The ${side} schema of '${name}' has ${inKilobytes(bytes)}, about ${tokensOf(bytes).toLocaleString("en-US")} tokens for each model that reads it.`;
    const found = findCostliest(schema);
    const verb = side === "input" ? "Accept" : "Return";
    const isDominant = found !== undefined && found.bytes >= bytes * NOTABLE;
    const share = isDominant ? ` '${found.path}' is ${Math.round((found.bytes / bytes) * 100)} % of it.` : "";
    const view = viewOf(schema, isDominant ? found.schema : schema);
    const remedy = found
      ? ` ${verb} only the needed properties: ${view}, Omit, or an interface with only those.`
      : " Shorten its descriptions.";
    session.report("PF2301", node, `${size}${share}${remedy}`);
  }
}

function inKilobytes(bytes: number): string {
  return `${Math.round(bytes / 1000)} kB`;
}

/** Returns a type with some properties of a schema, to show what to write. */
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
  const weights = new SchemaWeights(root);
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
