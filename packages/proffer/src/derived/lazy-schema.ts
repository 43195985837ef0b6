import { compileJsonSchema } from "../schema/json-schema/compile.ts";
import type { CompiledSchema, JsonSchema, JsonSchemaObject } from "../schema/json-schema/types.ts";
import { toSchema, ValidationError } from "../schema/schema.ts";
import type { StandardSchema } from "../schema/standard-schema.ts";
import { type CheckSlot, passes } from "./built-check.ts";
import type { Manifest } from "./manifest.ts";

/** Compiles a schema when it is first used: most calls are to few tools, and a client that starts a server waits. */
export function compileLater(schema: JsonSchema): () => CompiledSchema {
  let compiled: CompiledSchema | undefined;
  return () => {
    compiled ??= compileJsonSchema(schema);
    return compiled;
  };
}

/** A schema of a tool that is compiled when it is first used. What passes a built check needs no other. */
export function lazySchema(json: JsonSchemaObject, built?: CheckSlot): StandardSchema<unknown, unknown> {
  const compiled = compileLater(json);
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
 * Compiles every schema of a manifest at once, for whoever makes one: a server that is made of it trusts that they can be.
 * @throws {UsageError} for the first that cannot, such as one with a pattern that takes exponential time.
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
