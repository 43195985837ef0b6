import type { Principal } from "proffer";
import { RemoteError } from "proffer/client";
import type { Connection } from "../protocol/data.ts";
import { ApiProblem } from "../support/api-problem.ts";
import type { MessageRecord, ServerLinks } from "../support/host.ts";
import { hasHandshake } from "../support/values.ts";
import { type Connected, type ConnectionEvents, type ConnectOptions, connectTo, findRevisions } from "./connected.ts";

/** The events of the connections. */
export interface ConnectionsEvents extends Omit<ConnectionEvents, "unanswered" | "ended"> {
  changed(connection: Connection, revisions: readonly string[]): void;
  /** The first client is connected, for the first time or again. */
  opened(connected: Connected): void;
}

/** Milliseconds between attempts to reach the server at a URL again. */
const RETRY = 1000;
/** The message of the link of a URL if nothing listens there. Any other failure is an answer, which would not change. */
const UNREACHABLE = /cannot be reached/;

/** The clients of one target: one per revision, opened on first use. */
export class Connections {
  readonly #name: string;
  readonly #links: ServerLinks;
  readonly #record: MessageRecord;
  readonly #events: ConnectionsEvents;
  readonly #clients = new Map<string, Promise<Connected>>();
  #state: Connection = { state: "connecting" };
  #revisions: readonly string[] = [];
  /** Grows when all clients are replaced, so that those before do not count any more. */
  #generation = 0;
  #retry: NodeJS.Timeout | undefined;
  #checking = false;

  /** @param name - the name of the target in messages. */
  constructor(name: string, links: ServerLinks, record: MessageRecord, events: ConnectionsEvents) {
    this.#name = name;
    this.#links = links;
    this.#record = record;
    this.#events = events;
  }

  get state(): Connection {
    return this.#state;
  }

  /** The revisions that the server supports, as far as it is known; newest first. */
  get revisions(): readonly string[] {
    return this.#revisions;
  }

  get changesCaller(): boolean {
    return this.#links.changesCaller;
  }

  /** Connects on the newest revision. Never rejects: the state has the outcome. */
  async start(): Promise<void> {
    const generation = ++this.#generation;
    const { state } = this.#state;
    if (state !== "lost" && state !== "failed") this.#set({ state: "connecting" });
    try {
      const first = await this.#connect({});
      if (generation !== this.#generation) {
        await first.close();
        return;
      }
      this.#clients.set(first.revision, Promise.resolve(first));
      this.#revisions = this.#links.supportsAll ? this.#links.revisions : merge(this.#revisions, [first.revision]);
      this.#set({ state: "connected" });
      this.#events.opened(first);
      if (!this.#links.supportsAll) void this.#findRevisions(first, generation);
    } catch (error) {
      if (generation === this.#generation) this.#fail((error as Error).message);
    }
  }

  /** Returns the client of a revision. @throws {ApiProblem} if there is none and none can be made. */
  async use(revision: string): Promise<Connected> {
    const known = this.#clients.get(revision);
    if (known !== undefined) return known;
    const opening = this.open({ revision });
    this.#clients.set(revision, opening);
    opening.catch(() => this.#clients.delete(revision));
    return opening;
  }

  /** Opens another client, which the caller closes. @throws {ApiProblem} */
  async open(options: ConnectOptions & { readonly revision: string; readonly caller?: Principal }): Promise<Connected> {
    const { revision } = options;
    const { state, message = "The server is not connected yet.", remedy } = this.#state;
    if (state !== "connected") throw new ApiProblem(409, "not_connected", message, remedy);
    if (!this.#links.revisions.includes(revision)) {
      throw new ApiProblem(400, "unknown_revision", `The inspector does not know the revision ${revision}.`);
    }
    const connected = await this.#connect(options).catch((error) => {
      throw new ApiProblem(502, "no_response", (error as Error).message);
    });
    if (connected.revision === revision) return connected;
    await connected.close();
    this.#revisions = this.#revisions.filter((each) => each !== revision);
    this.#events.changed(this.#state, this.#revisions);
    const answered = `it answered with ${connected.revision}`;
    throw new ApiProblem(400, "unknown_revision", `The server does not support the revision ${revision}: ${answered}.`);
  }

  /** A server has ended a stream. Continues if the server is still there, after a pause. */
  async checkAfter(connected: Connected, again: () => void): Promise<void> {
    await this.#check(connected);
    if (await this.#isUsed(connected)) setTimeout(() => connected.isOpen && again(), RETRY).unref();
  }

  /** Closes everything and connects again; a command is started again. */
  async reconnect(): Promise<void> {
    await this.#closeAll();
    this.#state = { state: "connecting" };
    await this.start();
  }

  async close(): Promise<void> {
    this.#generation++;
    clearTimeout(this.#retry);
    await this.#closeAll();
  }

  async #closeAll(): Promise<void> {
    const clients = [...this.#clients.values()];
    this.#clients.clear();
    await Promise.allSettled(clients.map(async (client) => (await client).close()));
  }

  #connect(options: ConnectOptions): Promise<Connected> {
    const unanswered = (connected: Connected) => void this.#check(connected);
    const ended = (connected: Connected, reason: string) => void this.#end(connected, reason);
    return connectTo(this.#name, this.#links, this.#record, { ...this.#events, unanswered, ended }, options);
  }

  /** Asks a server whether it is still there, because a request has no response. */
  async #check(connected: Connected): Promise<void> {
    if (!(await this.#isUsed(connected)) || this.#checking) return;
    this.#checking = true;
    const { client } = connected;
    try {
      // A session that the server has forgotten does not answer either.
      await (!hasHandshake(connected.revision) ? client.open() : client.requestOnce("ping"));
    } catch (error) {
      // An error response is a response.
      if (!(error instanceof RemoteError)) await this.#lose((error as Error).message);
    } finally {
      this.#checking = false;
    }
  }

  async #end(connected: Connected, reason: string): Promise<void> {
    if (await this.#isUsed(connected)) await this.#lose(reason);
  }

  /** Connected, not closed by ourselves, and not one of the clients for a moment. */
  async #isUsed(connected: Connected): Promise<boolean> {
    const client = await this.#clients.get(connected.revision)?.catch(() => undefined);
    return client === connected && this.#state.state === "connected";
  }

  async #lose(reason: string): Promise<void> {
    this.#generation++;
    const clients = [...this.#clients.values()];
    this.#clients.clear();
    this.#set({ state: "lost", message: reason, remedy: this.#remedy(true) });
    this.#tryAgain();
    await Promise.allSettled(clients.map(async (client) => (await client).close()));
  }

  #fail(message: string): void {
    const state = this.#state.state === "lost" ? "lost" : "failed";
    const comesBack = UNREACHABLE.test(message);
    const isNew = state !== this.#state.state || message !== this.#state.message;
    if (isNew) this.#set({ state, message, remedy: this.#remedy(comesBack) });
    if (comesBack) this.#tryAgain();
  }

  /** A server at a URL comes back by itself; a command is started again only if the user says so. */
  #tryAgain(): void {
    if (this.#links.spawns) return;
    clearTimeout(this.#retry);
    const generation = this.#generation;
    this.#retry = setTimeout(async () => {
      // Attempts to connect are messages in the record, which would be full of them after a night.
      const isThere = (await this.#links.isThere?.()) ?? true;
      if (generation !== this.#generation) return;
      if (isThere) await this.start();
      else this.#tryAgain();
    }, RETRY);
    this.#retry.unref();
  }

  #remedy(comesBack: boolean): string {
    if (this.#links.spawns) return "Look at its output, then start it again.";
    if (comesBack) return "Start the server; the inspector connects again by itself.";
    return "Check the address and the headers, then connect again.";
  }

  async #findRevisions(first: Connected, generation: number): Promise<void> {
    const connect = (revision: string) => this.#connect({ revision, purpose: "revisions" });
    const found = await findRevisions(first, this.#links, connect);
    if (generation !== this.#generation) return;
    this.#revisions = merge(found, [first.revision]);
    this.#events.changed(this.#state, this.#revisions);
  }

  #set(state: Connection): void {
    this.#state = state;
    this.#events.changed(state, this.#revisions);
  }
}

/** All revisions of both lists, newest first. */
function merge(some: readonly string[], others: readonly string[]): readonly string[] {
  return [...new Set([...some, ...others])].sort().reverse();
}
