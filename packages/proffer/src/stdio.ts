// Internal, for @proffer/cli and its builds: an entry of their own would be one more file to load at each start.
export { withoutSecrets } from "./support/log.ts";
export { formatLog, type ProcessOptions, prepareProcess, serveProcess } from "./transports/process.ts";
export { type BuiltServer, serveByArguments } from "./transports/serve-built.ts";
export { type GuardedStdout, guardStdout } from "./transports/stdio/guard.ts";
export { type StdioOptions, serveStdio } from "./transports/stdio/serve.ts";
