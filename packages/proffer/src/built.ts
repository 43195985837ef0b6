/**
 * Internal: used by @proffer/cli and by the code that `proffer build` writes. No stability promise. A built server starts
 * with it, so it has nothing that can wait. It imports nothing of Node, so that a built server can be bundled for any
 * run-time.
 *
 * @internal
 * @module
 */

export { addFunctions } from "./derived/add-functions.ts";
export { createDerivedServer } from "./derived/derived-server.ts";
