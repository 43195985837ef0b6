/**
 * Internal: used by the checks that `proffer build` writes. No stability promise.
 *
 * @internal
 * @module
 */

export type { BuiltChecks } from "./derived/built-check.ts";
export { partCheck } from "./derived/part-check.ts";
export { run } from "./schema/json-schema/run.ts";
