import { consoleLog } from "../support/log.ts";
import type { RequestEntry } from "./http/options.ts";
import type { LogFormat } from "./serve-flags.ts";

/** The client chooses methods and names; a log line has no use for megabytes of them. */
const MAX_NAME = 200;

/** Returns a `log` option that writes each HTTP request to the log of the process. */
export function createRequestLog(format: LogFormat): (entry: RequestEntry) => void {
  return ({ method, path, status, milliseconds, rpc, name, ...others }) => {
    const time = Math.round(milliseconds * 10) / 10;
    const details = {
      ...(rpc !== undefined && { rpc: rpc.slice(0, MAX_NAME) }),
      ...(name !== undefined && { name: name.slice(0, MAX_NAME) }),
      ...others,
    };
    consoleLog(
      format === "pretty"
        ? { level: "info", message: `${method} ${path} ${status} in ${time} ms`, ...details }
        : { level: "info", message: "request", method, path, status, milliseconds: time, ...details },
    );
  };
}
