export { type ReservedStdout, reserveStdout } from "./transports/stdio/output.ts";
export { type StdioOptions, serveStdio } from "./transports/stdio/serve.ts";
