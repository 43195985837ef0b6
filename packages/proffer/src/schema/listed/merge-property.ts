import { isObject } from "../../protocol/messages.ts";
import type { JsonSchema, JsonSchemaObject } from "../json-schema/types.ts";
import { addSentence } from "./sentence.ts";

/** One alternative of a union of objects. */
export interface Branch {
  readonly properties: ReadonlyMap<string, JsonSchema>;
  readonly required: ReadonlySet<string>;
  /** Whether it accepts properties that it does not name. */
  readonly isOpen: boolean;
}

/** A property that tells the alternatives apart: its constant in each of them. */
interface Tag {
  readonly name: string;
  readonly values: readonly string[];
}

/** Returns the schema of a property that is valid in any of the alternatives. */
export function mergeProperty(name: string, branches: readonly Branch[]): JsonSchema {
  const distinct = new Map<string, JsonSchema>();
  for (const { properties, isOpen } of branches) {
    const schema = properties.get(name) ?? (isOpen ? {} : undefined);
    if (schema !== undefined) distinct.set(JSON.stringify(schema), schema);
  }
  const schemas = [...distinct.values()];
  const [only] = schemas;
  if (only === undefined || schemas.length === 1) return only ?? {};
  return mergeConstants(schemas) ?? { anyOf: schemas };
}

/** Joins `const` and `enum` of strings to one `enum`, which every client understands. */
function mergeConstants(schemas: readonly JsonSchema[]): JsonSchemaObject | undefined {
  const values = new Set<string>();
  const descriptions = new Set<string>();
  for (const schema of schemas) {
    const own = constantsOf(schema);
    if (own === undefined || !isObject(schema)) return undefined;
    for (const value of own) values.add(value);
    if (typeof schema.description === "string") descriptions.add(schema.description);
  }
  const description = [...descriptions].reduce<string | undefined>(addSentence, undefined);
  return { type: "string", enum: [...values], ...(description !== undefined && { description }) };
}

function constantsOf(schema: JsonSchema | undefined): readonly string[] | undefined {
  if (!isObject(schema)) return undefined;
  const values: unknown = schema.const === undefined ? schema.enum : [schema.const];
  return Array.isArray(values) && values.every((value) => typeof value === "string") ? values : undefined;
}

/** The property that every alternative requires with another constant, if there is one. */
export function tagOf(branches: readonly Branch[]): Tag | undefined {
  for (const name of branches[0]?.required ?? []) {
    const values = branches.map(({ properties, required }) => {
      const own = required.has(name) ? constantsOf(properties.get(name)) : undefined;
      return own?.length === 1 ? own[0] : undefined;
    });
    const isTag = values.every((value) => value !== undefined) && new Set(values).size === branches.length;
    if (isTag) return { name, values: values as string[] };
  }
  return undefined;
}

/** Says in the description of a property which alternatives have it or require it, if not all do. */
export function onlyWith({ name: tag, values }: Tag, name: string, schema: JsonSchema, branches: readonly Branch[]) {
  if (name === tag || typeof schema === "boolean") return schema;
  const those = (test: (branch: Branch) => boolean) => {
    const some = values.filter((_, i) => test(branches[i] as Branch));
    return some.length === 0 || some.length === values.length ? undefined : some.map((one) => JSON.stringify(one));
  };
  const having = those(({ properties }) => properties.has(name));
  const requiring = those(({ required }) => required.has(name));
  const isSame = having?.join() === requiring?.join();
  const words = [
    having && `${isSame ? "required, and only" : "only"} with ${tag} ${having.join(" or ")}`,
    requiring && !isSame && `required with ${tag} ${requiring.join(" or ")}`,
  ].filter((part) => typeof part === "string");
  if (words.length === 0) return schema;
  return { ...schema, description: addSentence(schema.description, words.join("; ")) };
}
