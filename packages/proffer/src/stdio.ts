export { type GuardedStdout, guardStdout } from "./transports/stdio/guard.ts";
export { type StdioOptions, serveStdio } from "./transports/stdio/serve.ts";
