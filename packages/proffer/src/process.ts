/**
 * Internal: used by @proffer/cli and by built servers. No stability promise. `proffer/stdio` is the same file with the
 * declarations of `stdio.ts`: a file for each would be one more to load at each start.
 *
 * @internal
 * @module
 */

export type { MissingTool } from "./features/resource-tools/create.ts";
export type { Choice } from "./features/toolsets/feature.ts";
export { withoutSecrets } from "./support/log.ts";
export { formatLog } from "./transports/log-format.ts";
export {
  chooseItems,
  findMissingTools,
  findSkills,
  type ProcessOptions,
  prepareProcess,
  serveByArguments,
  serveProcess,
  showAllToolsets,
} from "./transports/process.ts";
export { type ReservedStdout, reserveStdout } from "./transports/stdio/output.ts";
export { type StdioOptions, serveStdio } from "./transports/stdio/serve.ts";
