import type { CompiledSchema, JsonSchema, JsonSchemaObject } from "../schema/json-schema/types.ts";
import { ValidationError } from "../schema/schema.ts";
import type { StandardSchema } from "../schema/standard-schema.ts";
import { whenReady } from "../support/async.ts";
import { loadCalls } from "./load.ts";

/**
 * Compiles a schema on first use, and imports the compiler before the first one. Most calls go to few tools, and a client
 * waits while a server starts.
 */
export function compileLazily(schema: JsonSchema): () => CompiledSchema | Promise<CompiledSchema> {
  let compiled: CompiledSchema | Promise<CompiledSchema> | undefined;
  return () => {
    compiled ??= whenReady(loadCalls(), ({ compileJsonSchema }) => {
      compiled = compileJsonSchema(schema);
      return compiled;
    });
    return compiled;
  };
}

/** Creates a tool schema that is compiled on first use. */
export function lazySchema(json: JsonSchemaObject): StandardSchema<unknown, unknown> {
  const compiled = compileLazily(json);
  const describe = () => json;
  return {
    "~standard": {
      version: 1,
      vendor: "proffer",
      validate(value) {
        const schema = compiled();
        return schema instanceof Promise ? schema.then((ready) => check(ready, value)) : check(schema, value);
      },
      jsonSchema: { input: describe, output: describe },
    },
  };
}

function check(schema: CompiledSchema, value: unknown): { readonly value: unknown } {
  if (schema.check(value)) return { value };
  throw new ValidationError(schema.issues(value));
}
