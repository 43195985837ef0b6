/**
 * Internal: serves a process by its flags and variables, for @proffer/cli and the folders that `proffer build` writes. No
 * stability promise.
 *
 * @internal
 * @module
 */

export { describeFlag, type Flag, parseCommandLine } from "./transports/flags.ts";
export {
  formatLog,
  type ProcessOptions,
  prepareProcess,
  serveByArguments,
  serveProcess,
} from "./transports/process.ts";
export { SERVE_FLAGS, type Serving, toServing } from "./transports/serve-flags.ts";
export { guardStdout } from "./transports/stdio/guard.ts";
