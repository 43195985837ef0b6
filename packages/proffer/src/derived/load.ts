/** The namespace object of the author's module. */
export type Module = Readonly<Record<string, unknown>>;

type Calls = typeof import("./calls.ts");

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
  calls ??= import("./calls.ts").then(
    ({ callFunction, checkValues, compileJsonSchema, completeBy, exists, optionOf }) => {
      calls = { callFunction, checkValues, compileJsonSchema, completeBy, exists, optionOf };
      return calls;
    },
  );
  return calls;
}
