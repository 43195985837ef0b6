// Internal, for @proffer/cli and its builds: an entry of their own would be one more file to load at each start.
export { chooseItems } from "./server/toolsets.ts";
export { withoutSecrets } from "./support/secrets.ts";
export type { Choice, ChosenNames } from "./toolsets/choice.ts";
export { type ClusterSettings, toClusterSettings } from "./transports/cluster-flags.ts";
export { type CommandLine, describeFlag, type Flag, parseCommandLine } from "./transports/flags.ts";
export type { OAuthFlags } from "./transports/oauth-flags.ts";
export {
  type BuiltServer,
  formatLog,
  type ProcessOptions,
  prepareProcess,
  serveByArguments,
  serveProcess,
} from "./transports/process.ts";
export { type LogFormat, SERVE_FLAGS, type Serving, toServing, type Variables } from "./transports/serve-flags.ts";
export { type GuardedStdout, guardStdout } from "./transports/stdio/guard.ts";
export { type StdioOptions, serveStdio } from "./transports/stdio/serve.ts";
