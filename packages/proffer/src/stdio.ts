export { type StdioOptions, serveStdio } from "./transports/stdio.ts";
export { guardStdout } from "./transports/stdio-guard.ts";
