import { RpcError } from "../../protocol/errors.ts";
import type { ServerState } from "../../server/server.ts";
import { prepareToolsets, readToolsets } from "../../server/toolsets.ts";
import type { HttpExchange } from "./exchange.ts";
import { HttpError } from "./http-error.ts";

/** The work that must end before a request is handled: loading the code that only some servers and requests need. */
export class Preparation {
  /** Of every request; undefined if nothing is left to do. */
  pending: Promise<void> | undefined;
  readonly #server: ServerState;

  constructor(server: ServerState) {
    this.#server = server;
    this.add(prepareToolsets(server));
  }

  /** Adds work that every request waits for. If it fails, no request is ever handled. */
  add(work: Promise<void> | undefined): void {
    if (work === undefined) return;
    const pending = Promise.all([this.pending, work]).then(() => {
      if (this.pending === pending) this.pending = undefined;
    });
    this.pending = pending;
    work.catch((error) => this.#server.log({ level: "error", message: "The server cannot be served", error }));
    pending.catch(() => {});
  }

  /** What a request waits for; undefined if it need not. Rejects with an `HttpError` if it cannot be handled. */
  of(exchange: HttpExchange): Promise<void> | undefined {
    const mayNarrow = exchange.query.includes("toolsets=");
    if (this.pending === undefined && !mayNarrow) return undefined;
    return this.#prepare(exchange, mayNarrow);
  }

  async #prepare(exchange: HttpExchange, mayNarrow: boolean): Promise<void> {
    try {
      await this.pending;
    } catch {
      // The log has the reason.
      throw new HttpError(500, new RpcError("internal_error", "The server could not start."));
    }
    if (!mayNarrow) return;
    try {
      exchange.toolsets = await readToolsets(this.#server, exchange.query);
    } catch (error) {
      throw error instanceof RpcError ? new HttpError(400, error) : error;
    }
  }
}
