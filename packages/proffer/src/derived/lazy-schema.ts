import { compileJsonSchema } from "../schema/json-schema/compile.ts";
import type { CompiledSchema, JsonSchema, JsonSchemaObject } from "../schema/json-schema/types.ts";
import { ValidationError } from "../schema/schema.ts";
import type { StandardSchema } from "../schema/standard-schema.ts";
import { type CheckSlot, passes } from "./built-check.ts";

/** Compiles a schema on first use. Most calls go to few tools, and a client waits while a server starts. */
export function compileLazily(schema: JsonSchema): () => CompiledSchema {
  let compiled: CompiledSchema | undefined;
  return () => {
    compiled ??= compileJsonSchema(schema);
    return compiled;
  };
}

/** Creates a tool schema that is compiled on first use. A value that passes the built check needs no validation. */
export function lazySchema(json: JsonSchemaObject, built?: CheckSlot): StandardSchema<unknown, unknown> {
  const compiled = compileLazily(json);
  const describe = () => json;
  return {
    "~standard": {
      version: 1,
      vendor: "proffer",
      validate(value) {
        if (built?.check !== undefined && passes(built.check, value)) return { value };
        if (compiled().check(value)) return { value };
        throw new ValidationError(compiled().issues(value));
      },
      jsonSchema: { input: describe, output: describe },
    },
  };
}
