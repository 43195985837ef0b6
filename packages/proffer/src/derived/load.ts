import type { CompiledSchema, JsonSchema, JsonSchemaObject } from "../schema/json-schema/types.ts";
import { type StandardSchema, ValidationError } from "../schema/schema.ts";
import { whenReady } from "../support/async.ts";

/** The namespace object of the author's module. */
export type Module = Readonly<Record<string, unknown>>;

type Calls = typeof import("./call-function.ts");

/** An imported module, and the code that calls its functions. */
export interface Loaded {
  readonly module: Module;
  readonly calls: Calls;
}

/** Returns the module and the code, or a promise until both are imported. */
export type Load = () => Loaded | Promise<Loaded>;

let calls: Calls | Promise<Calls> | undefined;

/** Imports the code that calls functions. A server starts and lists its tools without it. */
export function loadCalls(): Calls | Promise<Calls> {
  calls ??= import("./call-function.ts").then(
    ({ callFunction, checkValues, compileJsonSchema, completeBy, exists, optionOf }) => {
      calls = { callFunction, checkValues, compileJsonSchema, completeBy, exists, optionOf };
      return calls;
    },
  );
  return calls;
}

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

/** The value that takes the place of an invalid one. @throws {ValidationError} if there is none */
type Repair = (schema: CompiledSchema, value: unknown) => unknown;

/** Repairs results. The code is imported with the first invalid one. */
export async function repairResult(schema: CompiledSchema, value: unknown): Promise<unknown> {
  const { repair } = await import("./output-mismatch.ts");
  return repair(schema, value);
}

/** Creates a tool schema that is compiled on first use. */
export function lazySchema(json: JsonSchemaObject, repair?: Repair): StandardSchema<unknown, unknown> {
  const compiled = compileLazily(json);
  const describe = () => json;
  const check = (schema: CompiledSchema, value: unknown): Outcome | Promise<Outcome> => {
    if (schema.check(value)) return { value };
    if (repair === undefined) throw new ValidationError(schema.issues(value));
    return whenReady(repair(schema, value), (repaired) => ({ value: repaired }));
  };
  return {
    "~standard": {
      version: 1,
      vendor: "proffer",
      validate(value) {
        const schema = compiled();
        return whenReady(schema, (ready) => check(ready, value));
      },
      jsonSchema: { input: describe, output: describe },
    },
  };
}

interface Outcome {
  readonly value: unknown;
}
