import { compileJsonSchema } from "../schema/json-schema/compile.ts";
import type { CompiledSchema, JsonSchema, JsonSchemaObject } from "../schema/json-schema/types.ts";
import { toSchema, ValidationError } from "../schema/schema.ts";
import type { StandardSchema } from "../schema/standard-schema.ts";
import { type CheckSlot, passes } from "./built-check.ts";
import type { Manifest } from "./manifest.ts";

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

/**
 * Compiles every schema of a manifest. Run it after creating a manifest: a derived server assumes that they compile.
 * @throws {UsageError} for the first schema that does not compile, such as one with a pattern of exponential time.
 */
export function checkManifest({ tools, prompts, resources }: Manifest): void {
  for (const { name, inputSchema, outputSchema } of tools) {
    toSchema(inputSchema, "input", `Tool "${name}": input`);
    if (outputSchema !== undefined) toSchema(outputSchema, "output", `Tool "${name}": output`);
  }
  for (const prompt of prompts) {
    for (const { name, schema } of prompt.arguments) toSchema(schema, "input", `Prompt "${prompt.name}": ${name}`);
  }
  for (const { uri, variables } of resources) {
    for (const { name, schema } of variables) toSchema(schema, "input", `Resource ${uri}: ${name}`);
  }
}
