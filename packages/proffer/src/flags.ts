/**
 * Internal: used by @proffer/cli. No stability promise.
 *
 * @internal
 * @module
 */

export { describeFlag, type Flag, parseCommandLine } from "./transports/flags.ts";
export { toClusterSettings } from "./transports/redis-nodes.ts";
export { SERVE_FLAGS, type Serving, toServing } from "./transports/serve-flags.ts";
