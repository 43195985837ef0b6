import { contain } from "../../support/async.ts";
import { consoleLog } from "../../support/log.ts";
import type { HttpExchange } from "./exchange.ts";
import type { HttpOptions } from "./options.ts";

/** Passes an answered request to the author's `log` function, once. */
export function logExchange(exchange: HttpExchange, status: number, log: NonNullable<HttpOptions["log"]>): void {
  const { logRecord, method, path, principal } = exchange;
  if (logRecord === undefined) return;
  exchange.logRecord = undefined;
  const { started, ...known } = logRecord;
  const caller = principal === undefined ? {} : { principal: principal.id };
  const entry = { method, path, status, milliseconds: performance.now() - started, ...known, ...caller };
  contain(
    () => log(entry),
    (error) => consoleLog({ level: "error", message: "The HTTP log function failed", ...entry, error }),
  );
}
