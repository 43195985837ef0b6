import type { Call } from "../../calls/call.ts";
import type { Principal } from "../../calls/client.ts";
import type { Client } from "../../client/client.ts";
import type { Asked, Notification } from "../../client/options.ts";
import type { ClientCapabilities, LogLevel } from "../../protocol/model.ts";
import { unref } from "../../support/async.ts";
import { viaOf } from "./loops.ts";

/** A request in flight that can be asked, and whose caller reads log messages. */
export interface Running {
  ask(asked: Asked): Promise<object>;
  log(level: LogLevel, data: unknown, logger: string | undefined): void;
}

/** A connection with its requests in flight. */
export interface Lease {
  readonly connection: Connection;
  /** The request has ended. */
  release(): void;
}

/** A question that nobody can be asked now waits for the next request: a server may ask before its first call. */
interface Held {
  readonly asked: Asked;
  resolve(answer: object): void;
  reject(error: Error): void;
}

/** Questions of one connection that wait for a request. */
const MAX_HELD = 10;

/** What a connection sends of a caller. */
export interface Sender {
  principal: Principal | undefined;
  /** The caller's own credentials, which must not be sent. */
  credentials: string | undefined;
  via: readonly string[];
}

/** One connection to a mounted server. */
export class Connection {
  readonly key: string;
  /** By whom it is counted. */
  readonly caller: string | undefined;
  /** Requests that use it, or are about to. */
  leases = 0;
  usedAt = Date.now();
  isLost = false;
  /** It only reads lists: nobody can be asked on it. */
  isNobodys = false;
  client!: Client;
  readonly sender: Sender;
  readonly #running = new Set<Running>();
  readonly #held: Held[] = [];
  readonly #questionTimeout: number;

  constructor(key: string, caller: string | undefined, sender: Sender, questionTimeout: number) {
    this.key = key;
    this.caller = caller;
    this.sender = sender;
    this.#questionTimeout = questionTimeout;
  }

  begin(running: Running): void {
    this.#running.add(running);
    for (const { asked, resolve, reject } of this.#held.splice(0)) running.ask(asked).then(resolve, reject);
  }

  end(running: Running): void {
    this.#running.delete(running);
  }

  /** The newest request: older revisions do not say to which request a question belongs, and all have one caller. */
  get #newest(): Running | undefined {
    return [...this.#running].at(-1);
  }

  answer(asked: Asked): Promise<object> {
    const running = this.#newest;
    if (running !== undefined) return running.ask(asked);
    if (this.isNobodys || this.#held.length >= MAX_HELD) return Promise.reject(new Error("Nobody can be asked now."));
    return new Promise((resolve, reject) => {
      const held = { asked, resolve, reject };
      this.#held.push(held);
      const giveUp = () => {
        const at = this.#held.indexOf(held);
        if (at >= 0) this.#held.splice(at, 1);
        reject(new Error("Nobody can be asked now."));
      };
      unref(setTimeout(giveUp, this.#questionTimeout));
    });
  }

  logged({ params }: Notification): void {
    this.#newest?.log(params.level as LogLevel, params.data, params.logger as string | undefined);
  }
}

/** Keeps the newest facts about the caller of a connection. */
export function remember({ sender }: Connection, call: Call): void {
  sender.principal = call.origin.principal;
  sender.credentials = call.origin.http?.header("authorization");
  sender.via = viaOf(call);
}

/** The questions of a mounted server that the client of a call can be asked. */
export function capabilitiesFor(call: Call): ClientCapabilities {
  const { revision, origin, client } = call;
  if (!revision.rounds && origin.request === undefined) return {};
  const { elicitation, sampling, roots } = client.capabilities;
  const { url, ...forms } = (elicitation ?? {}) as { readonly url?: object };
  const modes = revision.urlQuestions && url !== undefined ? { ...forms, url } : forms;
  // `{}` means forms: a client that only opens pages has none.
  const asks = elicitation !== undefined && (url === undefined || Object.keys(modes).length > 0);
  return {
    ...(asks && revision.inputs.has("elicitation/create") && { elicitation: modes }),
    ...(sampling !== undefined && { sampling }),
    ...(roots !== undefined && { roots: {} }),
  };
}
