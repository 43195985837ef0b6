import type { Call } from "../../calls/call.ts";
import { callerOf } from "../../calls/caller.ts";
import { ConnectionError } from "../../client/errors.ts";
import type { Headers } from "../../client/link.ts";
import type { Notification } from "../../client/options.ts";
import { Busy } from "../../protocol/errors.ts";
import type { ClientCapabilities } from "../../protocol/model.ts";
import type { ServerState } from "../../server/server.ts";
import { unref } from "../../support/async.ts";
import { Connection, capabilitiesFor, type Lease, remember, type Sender } from "./connection.ts";
import { depthVariables, idOf, VIA, viaOf } from "./loops.ts";
import { connectOptionsOf, type RemoteServer } from "./options.ts";

/** What a mount learns from its connections. */
export interface ConnectionEvents {
  notified(connection: Connection, notification: Notification): void;
  lost(connection: Connection): void;
}

/** The connection that reads lists. */
interface Main {
  /** The capabilities that it was opened with. */
  readonly mark: string;
  readonly opening: Promise<Connection>;
  ready?: Connection;
}

/** Some servers list a tool that asks only to clients that can be asked. */
const EVERY_QUESTION: ClientCapabilities = { elicitation: { form: {}, url: {} }, sampling: {} };

const CONNECT_TIMEOUT = 10_000;
/** A package may have to be installed first. */
const COMMAND_TIMEOUT = 60_000;
/** One caller leaves most connections to others. */
const CALLER_SHARE = 5;
const IDLE = 300_000;
const SWEEP = 60_000;

const NEVER_SENT = /^(cookie|host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|mcp-.*)$/i;

/**
 * The connections to one mounted server. A stateless server has one for all callers. A server with sessions, or one that
 * recognizes each principal, has one for each caller: neither a session nor a question must reach anybody else.
 */
export class Connections {
  readonly #server: ServerState;
  readonly #remote: RemoteServer;
  readonly #name: string;
  readonly #events: ConnectionEvents;
  readonly #open = new Map<string, { readonly connection: Connection; readonly opening: Promise<Connection> }[]>();
  #main: Main | undefined;
  /** The headers of every request, if they are always the same. */
  readonly #fixed: Headers | undefined;
  /** The revision that the server speaks, as long as it runs. */
  #revision: string | undefined;
  #sweeping: ReturnType<typeof setInterval> | undefined;

  constructor(server: ServerState, name: string, remote: RemoteServer, events: ConnectionEvents) {
    this.#server = server;
    this.#remote = remote;
    this.#name = name;
    this.#events = events;
    const { headers = {}, authorize } = remote.options;
    const isFixed = authorize === undefined && typeof headers !== "function";
    this.#fixed = isFixed ? { ...headers, [VIA]: idOf(server) } : undefined;
  }

  /** Milliseconds in which a connection must be open. */
  get timeout(): number {
    const { target, options } = this.#remote;
    const isCommand = typeof target === "object" && "command" in target;
    return options.connectTimeout ?? (isCommand ? COMMAND_TIMEOUT : CONNECT_TIMEOUT);
  }

  /** The connection that reads lists. It belongs to nobody, or to the only caller of this process. */
  main(call: Call | undefined): Promise<Connection> {
    if (this.#main === undefined) {
      const isAlone = call !== undefined && this.#isAlone(call);
      const own = isAlone ? capabilitiesFor(call) : EVERY_QUESTION;
      const sender = { principal: undefined, credentials: undefined, via: call === undefined ? [] : viaOf(call) };
      const connection = new Connection("main", undefined, sender, this.#server.limits.questionTimeout);
      connection.isNobodys = !isAlone;
      const main: Main = { mark: JSON.stringify(own), opening: this.#connect(connection, own) };
      this.#main = main;
      main.opening.then(
        (opened) => {
          main.ready = opened;
        },
        () => {
          if (this.#main === main) this.#main = undefined;
        },
      );
    }
    return this.#main.opening;
  }

  /** The connection for a call: at once, if all callers share it. @throws {Busy} if there are too many. */
  lease(call: Call): Lease | Promise<Lease> {
    const { ready } = this.#main ?? {};
    if (ready === undefined || ready.client.hasHandshake || this.#isPersonal) return this.#lease(call);
    return leaseOf(ready, call);
  }

  async #lease(call: Call): Promise<Lease> {
    const main = this.#isPersonal ? undefined : await this.main(call);
    if (main?.client.hasHandshake === false) return leaseOf(main, call);
    const capabilities = capabilitiesFor(call);
    const mark = JSON.stringify(capabilities);
    if (main !== undefined && this.#isAlone(call) && this.#main?.mark === mark) return leaseOf(main, call);
    const { principal, session, transport, listener } = call.origin;
    const base = principal === undefined ? "" : `id ${principal.id}`;
    const who = session?.id ?? (transport === "http" ? base : (callerOf({ listener }) ?? base));
    // Callers that nobody can tell apart must not get each other's questions.
    const isShared = who !== "";
    const key = JSON.stringify([base, who, mark]);
    const known = this.#open
      .get(key)
      ?.find(({ connection }) => !connection.isLost && (isShared || connection.leases === 0));
    const found = known ?? this.#add(key, call, capabilities);
    // Before the first promise: no other call may take it meanwhile.
    found.connection.leases++;
    try {
      return leaseOf(await found.opening, call);
    } finally {
      found.connection.leases--;
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeping);
    this.#sweeping = undefined;
    const all = [...this.#open.values()].flat().map(({ opening }) => opening);
    if (this.#main !== undefined) all.push(this.#main.opening);
    this.#open.clear();
    this.#main = undefined;
    await Promise.allSettled(all.map((opening) => opening.then(({ client }) => client.close())));
  }

  get size(): number {
    return [...this.#open.values()].flat().length + (this.#main === undefined ? 0 : 1);
  }

  /** Whether the server recognizes each principal. */
  get #isPersonal(): boolean {
    return this.#remote.options.authorize !== undefined || isLocal(this.#remote.target);
  }

  /** Whether a call comes from the only client of this process. */
  #isAlone({ origin }: Call): boolean {
    return origin.transport !== "http" && origin.principal === undefined && !this.#isPersonal;
  }

  #add(key: string, call: Call, capabilities: ClientCapabilities) {
    const caller = callerOf(call.origin);
    this.#makeRoom(caller);
    const sender: Sender = { principal: undefined, credentials: undefined, via: [] };
    const connection = new Connection(key, caller, sender, this.#server.limits.questionTimeout);
    remember(connection, call);
    const entry = { connection, opening: this.#connect(connection, capabilities) };
    this.#open.set(key, [...(this.#open.get(key) ?? []), entry]);
    entry.opening.catch(() => this.#remove(connection));
    this.#sweeping ??= unref(setInterval(() => this.#sweep(), SWEEP));
    return entry;
  }

  /** Closes the connection that is idle for the longest time. @throws {Busy} if all are in use. */
  #makeRoom(caller: string | undefined): void {
    const { connections: most = 100 } = this.#remote.options;
    const all = [...this.#open.values()].flat().map(({ connection }) => connection);
    const own = all.filter((each) => caller !== undefined && each.caller === caller);
    const isGreedy = own.length >= Math.max(1, Math.ceil(most / CALLER_SHARE));
    if (all.length < most && !isGreedy) return;
    const idle = (isGreedy ? own : all).filter(({ leases }) => leases === 0);
    const [oldest] = idle.sort((one, other) => one.usedAt - other.usedAt);
    if (oldest === undefined)
      throw new Busy(`All ${all.length} connections to the server "${this.#name}" are in use. Try again later.`);
    this.#end(oldest);
  }

  #sweep(): void {
    for (const { connection } of [...this.#open.values()].flat())
      if (connection.leases === 0 && Date.now() - connection.usedAt > IDLE) this.#end(connection);
  }

  #end(connection: Connection): void {
    this.#remove(connection);
    connection.isLost = true;
    void connection.client?.close().catch(() => undefined);
  }

  #remove(connection: Connection): void {
    const left = (this.#open.get(connection.key) ?? []).filter((each) => each.connection !== connection);
    if (left.length > 0) this.#open.set(connection.key, left);
    else this.#open.delete(connection.key);
  }

  async #connect(connection: Connection, capabilities: ClientCapabilities): Promise<Connection> {
    const { target, options } = this.#remote;
    const { sender } = connection;
    const isUrl = typeof target === "string" || target instanceof URL;
    const { name, version } = this.#server.info;
    const reached =
      typeof target === "object" && "command" in target ? { ...target, env: depthVariables(target.env) } : target;
    const client = await this.#remote
      .connect(reached, {
        ...connectOptionsOf(options),
        ...(isUrl && { headers: () => (sender.via.length === 0 ? this.#fixed : undefined) ?? this.#headers(sender) }),
        ...(isLocal(target) && sender.principal !== undefined && { principal: sender.principal }),
        info: { name, version },
        capabilities,
        answers: (asked) => connection.answer(asked) as Promise<{ readonly [key: string]: unknown }>,
        cache: false,
        onNotification: (notification) => this.#events.notified(connection, notification),
        // A server of an older revision is not started twice to find that out again.
        ...(this.#revision !== undefined && { revision: this.#revision }),
        signal: AbortSignal.timeout(this.timeout),
      })
      .catch((error) => {
        if (error?.name !== "TimeoutError") throw error;
        const message = `The server "${this.#name}" could not be connected within ${this.timeout / 1000} s`;
        throw new ConnectionError("timeout", message, { cause: error });
      });
    connection.client = client;
    this.#revision = client.revision;
    client.onLost(() => {
      connection.isLost = true;
      this.#remove(connection);
      this.#revision = undefined;
      if (connection.key === "main") this.#main = undefined;
      this.#events.lost(connection);
    });
    return connection;
  }

  /** @throws {Error} for a header that must not be sent on. */
  async #headers(sender: Sender): Promise<Headers> {
    const { headers = {}, authorize } = this.#remote.options;
    const own = typeof headers === "function" ? await headers() : headers;
    const personal = (await authorize?.({ principal: sender.principal })) ?? {};
    const token = sender.credentials?.trim().split(" ").at(-1);
    for (const [name, value] of Object.entries(personal)) {
      if (NEVER_SENT.test(name)) throw new Error(`authorize of "${this.#name}" must not return the header ${name}.`);
      // The token was issued for this server: another one could use it here (RFC 8707; specification, token passthrough).
      if (token && value.includes(token))
        throw new Error(`authorize of "${this.#name}" returned the caller's own token, which is for this server only.`);
    }
    return { ...own, ...personal, [VIA]: [...sender.via, idOf(this.#server)].join() };
  }
}

/** Whether a server is in this process: then it recognizes the principals of this one. */
function isLocal(target: RemoteServer["target"]): boolean {
  return typeof target === "object" && !("command" in target) && !(target instanceof URL);
}

function leaseOf(connection: Connection, call: Call): Lease {
  if (connection.key !== "main") remember(connection, call);
  connection.leases++;
  let isOpen = true;
  return {
    connection,
    release() {
      if (!isOpen) return;
      isOpen = false;
      connection.leases--;
      connection.usedAt = Date.now();
    },
  };
}
