import type { ManifestSettings } from "proffer/derived";
import { checkSettingsSchema } from "proffer/settings";
import type ts from "typescript";
import type { DerivedSchema } from "../model/json-schema.ts";
import type { Conversion } from "../types/conversion.ts";
import { constantOf } from "../types/primitive.ts";
import { createConversion } from "../types/schema.ts";
import { type Analysis, callsOf } from "./analysis.ts";
import { deriveFields, isUndefined, type Questions } from "./questions.ts";

/** Position of the schema in `defineSettings(schema, options)`. */
export const SETTINGS_ARGUMENT = 0;

/** The settings of a module. */
export interface FoundSettings {
  /** The derived schemas of the calls without a schema. */
  readonly calls: Questions;
  /** All settings of the module; absent if it has none. */
  readonly settings?: ManifestSettings;
}

const NAME = /^(?!__proto__$)[A-Za-z_][A-Za-z0-9_]*$/;
const SECRET_NAME = /(?:token|secret|passwor[dt]|passphrase|credentials?|(?:api|private|access|secret)_?key)$/i;
const SCALARS: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean"]);

/** Finds the calls of `defineSettings` in the author's files and derives the schemas of those without one. */
export function findSettings(analysis: Analysis, files: readonly ts.SourceFile[]): FoundSettings {
  const definitions = callsOf(analysis, files, "defineSettings");
  if (definitions.length === 0) return { calls: new Map() };
  const { checker, origins, codecs } = analysis;
  const conversion = createConversion(checker, origins, codecs, "in", "setting");
  const calls = new Map<ts.Node, DerivedSchema>();
  const found: { node: ts.Node; schema: DerivedSchema }[] = [];
  for (const node of definitions) {
    const given = node.arguments[SETTINGS_ARGUMENT];
    const isGiven = given !== undefined && !isUndefined(given);
    const schema = isGiven ? givenSchema(checker, given) : deriveSettings(analysis, conversion, node);
    if (schema && !isGiven) calls.set(node, schema);
    if (schema) found.push({ node, schema });
  }
  return { calls, ...join(analysis, found) };
}

/** Returns a schema that the author wrote, if it is constant. Any other is only checked when the module is imported. */
function givenSchema(checker: ts.TypeChecker, given: ts.Expression): DerivedSchema | undefined {
  const schema = constantOf(checker, given) as ManifestSettings | undefined;
  try {
    checkSettingsSchema(schema);
    return schema as DerivedSchema;
  } catch {
    return undefined;
  }
}

function deriveSettings(
  analysis: Analysis,
  conversion: Conversion,
  call: ts.CallExpression,
): DerivedSchema | undefined {
  const [node] = call.typeArguments ?? [];
  analysis.current = "defineSettings";
  if (node === undefined) {
    const message = "These settings have no type. Write defineSettings<{ SHOP_URL: string }>(), or pass a schema.";
    analysis.report("PF1320", call, message);
    return undefined;
  }
  const schema = deriveFields(analysis, node, {
    conversion,
    subject: "the settings",
    generic: {
      code: "PF1321",
      message: (type) => `The type '${type}' of these settings is only known at run time. Write a concrete type.`,
    },
    notObject: {
      code: "PF1322",
      message: (type) =>
        `Settings must be an object with named properties, not '${type}'. Write, for example: { SHOP_URL: string }.`,
    },
    badField: { code: "PF1323", message: (name, reason) => `The setting '${name}' cannot be read: ${reason}.` },
    coded: "a variable is a text, so use a string, and convert it in your code",
    toField: toSetting,
  });
  for (const [name, setting] of Object.entries(schema?.properties ?? {})) reportSecrets(analysis, node, name, setting);
  return schema;
}

/** Returns the schema of a setting, or the reason why a variable cannot have it. */
function toSetting(schema: DerivedSchema, name: string): DerivedSchema | string {
  if (!NAME.test(name)) {
    return "its name must be that of an environment variable, with letters, digits and _, and no digit at the start";
  }
  const type = schema.type === "array" ? schema.items?.type : schema.type;
  if (SCALARS.has(type)) return schema;
  return "use a string, a number, a boolean, a union of strings or numbers, or an array of these, and make it optional instead of nullable";
}

function reportSecrets(
  analysis: Analysis,
  node: ts.Node,
  name: string,
  { writeOnly, default: value }: DerivedSchema,
): void {
  if (writeOnly && value !== undefined) {
    analysis.report("PF1324", node, `The setting '${name}' is secret, so its default would be in the code. Remove it.`);
  }
  if (!writeOnly && SECRET_NAME.test(name)) {
    const message = `The setting '${name}' looks like a secret. Add @secret to its comment, so that its value is never shown.`;
    analysis.report("PF2320", node, message);
  }
}

/** Joins the settings of all calls. A variable may be defined twice, in the same way. */
function join(
  analysis: Analysis,
  found: readonly { readonly node: ts.Node; readonly schema: DerivedSchema }[],
): Pick<FoundSettings, "settings"> {
  const properties: Record<string, DerivedSchema> = {};
  const required = new Set<string>();
  for (const { node, schema } of found) {
    for (const [name, setting] of Object.entries(schema.properties ?? {})) {
      const earlier = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (earlier !== undefined && JSON.stringify(earlier) !== JSON.stringify(setting)) {
        const message = `The setting '${name}' is defined twice, with different types or comments. Define it once and import it.`;
        analysis.report("PF1325", node, message);
      }
      properties[name] = earlier ?? setting;
    }
    for (const name of schema.required ?? []) required.add(name);
  }
  if (Object.keys(properties).length === 0) return {};
  return { settings: { type: "object", properties, ...(required.size > 0 && { required: [...required] }) } };
}
