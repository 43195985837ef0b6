/** The code for calls of the author's functions. A server starts without it: import it by `loadCalls`. */
export { compileJsonSchema } from "../schema/json-schema/compile.ts";
export { callFunction } from "./call-function.ts";
export { completeBy, exists, optionOf } from "./companion.ts";
export { checkValues } from "./value-checks.ts";
