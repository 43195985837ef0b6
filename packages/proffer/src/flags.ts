/**
 * Internal: used by @proffer/cli. No stability promise.
 *
 * @internal
 * @module
 */

export { toClusterSettings } from "./nodes/environment/redis-nodes.ts";
export { describeFlag, type Flag, parseCommandLine } from "./transports/flags.ts";
export { SERVE_FLAGS, type Serving, toServing } from "./transports/serve-flags.ts";
