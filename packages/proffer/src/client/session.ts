import { isObject, type JsonObject, type RequestId } from "../protocol/messages.ts";
import type { ClientCapabilities, Implementation } from "../protocol/model.ts";
import { REVISIONS } from "../protocol/revisions/table.ts";
import { Cache } from "./cache.ts";
import { ConnectionError, toConnectionError } from "./errors.ts";
import { Exchange, type Sent } from "./exchange.ts";
import type { Link } from "./link.ts";
import type { Subscription } from "./listen.ts";
import {
  type Asked,
  answerAll,
  type ClientOptions,
  createAnswerer,
  type Notification,
  type Questions,
  type RequestOptions,
  type Root,
} from "./options.ts";
import { checkShape, INITIALIZED, INPUT_REQUIRED, RESULT_SHAPES } from "./shape.ts";
import { MAX_ROUNDS, RemoteTask, whileNotAborted } from "./task.ts";

/** The beginning of a connection: how to open it, and on which revision. */
export interface Start {
  readonly link: Link;
  /** The name of the server in messages. */
  readonly name: string;
  readonly revision: string;
  readonly handshake: boolean;
  /** Whether the link can be opened again. Default: false. */
  readonly reconnects?: boolean;
}

const PREFIX = "io.modelcontextprotocol/";
const TASKS = { extensions: { [`${PREFIX}tasks`]: {} } };
const DEFAULT_TIMEOUT = 300_000;

/** The requests of a client to one server, on every revision: answers to its questions, tasks, a second connection. */
export class Session {
  /** The name of the server in messages. */
  readonly name: string;
  /** The subscriptions that are open. @internal */
  readonly subscriptions: Set<Subscription> = new Set();
  /** Milliseconds before the second poll of a task; doubled each time, up to the interval of the server. @internal */
  readonly firstPoll: number = 50;
  /** Whether a lost connection is opened again. @internal */
  readonly canReconnect: boolean;
  /** Resolves when the server works again after `crash` of a testing client. @internal */
  recovered: Promise<void> = Promise.resolve();
  readonly #start: Start;
  readonly #options: ClientOptions;
  readonly #info: Implementation;
  readonly #capabilities: ClientCapabilities;
  readonly #answer: (asked: Asked) => Promise<object>;
  readonly #cache: Cache | undefined;
  readonly #exchange: Exchange;
  readonly #onLost = new Set<() => void>();
  #roots: readonly Root[] | undefined;
  #revision: string;
  #opened: JsonObject = {};
  #reconnecting: Promise<unknown> | undefined;
  #isClosed = false;

  constructor(start: Start, options: ClientOptions = {}) {
    const { answers, roots, info, capabilities, cache = true } = options;
    this.name = start.name;
    this.canReconnect = start.reconnects ?? false;
    this.#start = start;
    this.#options = options;
    this.#revision = start.revision;
    this.#roots = roots;
    this.#info = info ?? { name: "proffer-client", version: "1" };
    this.#capabilities = capabilities ?? {
      ...(answers && { elicitation: { form: {}, url: {} } }),
      ...(roots && { roots: { listChanged: true } }),
      ...(start.handshake ? {} : TASKS),
    };
    const answer = createAnswerer(answers);
    this.#answer = async (asked) =>
      asked.method === "roots/list" && this.#roots !== undefined ? { roots: this.#roots } : answer(asked);
    this.#cache = cache ? new Cache() : undefined;
    this.#exchange = new Exchange(start.link, start.name, {
      answer: (method, params) => this.#answer({ method, params } as Asked),
      notified: (notification) => this.#notified(notification),
      lost: () => {
        for (const subscriber of this.#onLost) subscriber();
        this.#onLost.clear();
      },
    });
  }

  /** Sends `initialize` or `server/discover` and returns the result. `connect` has already done so. */
  async open(options: RequestOptions = {}): Promise<JsonObject> {
    const { revision, handshake } = this.#start;
    const params = { protocolVersion: revision, capabilities: this.#capabilities, clientInfo: this.#info };
    const { response } = handshake
      ? this.begin("initialize", params, options)
      : this.begin("server/discover", {}, options);
    this.#opened = await response;
    if (!handshake) return this.#opened;
    checkShape(INITIALIZED, this.name, "initialize", this.#opened);
    const protocolVersion = this.#opened.protocolVersion as string;
    if (!REVISIONS.get(protocolVersion)?.handshake) {
      const message = `${this.name} answered initialize with the unknown revision ${protocolVersion.slice(0, 40)}.`;
      throw new ConnectionError("malformed", message);
    }
    this.#revision = protocolVersion;
    this.#exchange.link?.agreed?.(this.#revision);
    this.#exchange.notify("notifications/initialized");
    const { logLevel } = this.#options;
    if (logLevel && this.capabilities.logging) await this.begin("logging/setLevel", { level: logLevel }).response;
    return this.#opened;
  }

  /** Whether calls of a tool that was listed cannot be sent. */
  protected refuses(tool: string): boolean {
    return this.#exchange.link?.refuses?.(tool) ?? false;
  }

  /** The result of `initialize` or `server/discover`. */
  get opened(): JsonObject {
    return this.#opened;
  }

  /** The revision that both sides speak. */
  get revision(): string {
    return this.#revision;
  }

  /** Whether the revision starts with `initialize`. @internal */
  get hasHandshake(): boolean {
    return this.#start.handshake;
  }

  /** The capabilities of the server. */
  get capabilities(): { readonly [name: string]: unknown } {
    const { capabilities } = this.#opened;
    return isObject(capabilities) ? capabilities : {};
  }

  /** The name and the version that the server declares. */
  get serverInfo(): Implementation {
    const { serverInfo, _meta } = this.#opened;
    const info = serverInfo ?? (isObject(_meta) ? _meta[`${PREFIX}serverInfo`] : undefined);
    const { name = "server", version = "", ...more } = isObject(info) ? info : {};
    return { ...more, name: String(name), version: String(version) };
  }

  /** The advice of the server for models. */
  get instructions(): string | undefined {
    const { instructions } = this.#opened;
    return typeof instructions === "string" ? instructions : undefined;
  }

  /**
   * Sends a request, answers the server's questions, and returns the result. A call that became a task is polled to its
   * end, and cancelled if the signal aborts.
   */
  async request(method: string, params: object = {}, options: RequestOptions = {}): Promise<JsonObject> {
    const cached = this.#cache?.get(method, params);
    if (cached !== undefined) return cached;
    const result = await this.askRounds(method, params, options);
    if (result.resultType !== "task") return result;
    const { signal, onRound, onTask, onProgress } = options;
    const task = this.toTask(result, (state) => {
      if (state.status !== "working") onRound?.(state as never);
      if (state.statusMessage !== undefined) onProgress?.({ message: state.statusMessage });
      onTask?.(state);
    });
    const final = (await whileNotAborted(task, signal)) as never;
    checkShape(RESULT_SHAPES[method], this.name, method, final);
    return final;
  }

  /** Sends a request and returns the first response, a result or a question. */
  requestOnce(method: string, params: object = {}, options: RequestOptions = {}): Promise<JsonObject> {
    if (!this.canReconnect) return this.begin(method, params, options).response;
    if (this.#exchange.lost !== undefined && !this.#isClosed) return this.#sendAgain(method, params, options);
    return this.begin(method, params, options).response.catch((error) => {
      const isForgotten = error instanceof ConnectionError && error.kind === "session";
      if (!isForgotten) throw error;
      return this.#sendAgain(method, params, options);
    });
  }

  /** Sends a request at once, on the connection that is open. @internal */
  begin(method: string, params: object, { timeout, ...options }: RequestOptions = {}): Sent {
    const limit = timeout ?? this.#options.timeout ?? DEFAULT_TIMEOUT;
    return this.#exchange.request(method, params, (id) => this.#meta(params, options, id), {
      ...options,
      timeout: limit,
    });
  }

  notify(method: string, params?: object): void {
    this.#exchange.notify(method, params);
  }

  /** Changes the folders that the server may work with, and tells it so where the revision can. */
  setRoots(roots: readonly Root[]): void {
    this.#roots = roots;
    if (this.#start.handshake) this.notify("notifications/roots/list_changed");
  }

  /** Closes the connection; a command ends. Requests in flight reject. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#exchange.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Calls a function once, when the connection is lost. @internal */
  onLost(subscriber: () => void): void {
    this.#onLost.add(subscriber);
  }

  /** @internal */
  tooManyRounds(method: string): ConnectionError {
    return new ConnectionError(
      "malformed",
      `${this.name} still asked questions after ${MAX_ROUNDS} rounds of ${method}.`,
    );
  }

  /** Rejects the requests in flight. */
  protected fail(error: Error): void {
    this.#exchange.fail(error);
  }

  /** Connects again, once, and sends a request that the server has not read. */
  async #sendAgain(method: string, params: object, options: RequestOptions): Promise<JsonObject> {
    this.#reconnecting ??= this.#reconnect().finally(() => {
      this.#reconnecting = undefined;
    });
    await this.#reconnecting;
    return this.begin(method, params, options).response;
  }

  async #reconnect(): Promise<void> {
    if (this.#exchange.lost === undefined) return;
    this.#exchange.reopen();
    try {
      await this.open();
    } catch (error) {
      const failure = toConnectionError(error, "ended", `${this.name} could not be connected again`);
      this.#exchange.lose(failure);
      throw failure;
    }
  }

  protected toTask({ taskId }: JsonObject, observe: RequestOptions["onTask"]): RemoteTask {
    if (typeof taskId !== "string") {
      throw new ConnectionError("malformed", `${this.name} answered with a task that has no taskId.`);
    }
    return new RemoteTask(this, taskId, this.#answer, observe);
  }

  /** Sends a request and answers the questions that end it. */
  protected async askRounds(method: string, params: object, options: RequestOptions = {}): Promise<JsonObject> {
    let round: object = params;
    for (let rounds = 0; rounds <= MAX_ROUNDS; rounds++) {
      const result = await this.requestOnce(method, round, options);
      if (result.resultType !== "task") options.onRound?.(result);
      if (result.resultType !== "input_required") {
        if (result.resultType !== "task") checkShape(RESULT_SHAPES[method], this.name, method, result);
        if (rounds === 0) this.#cache?.keep(method, params, result);
        return result;
      }
      checkShape(INPUT_REQUIRED, this.name, method, result);
      const { requestState } = result;
      const inputResponses = await answerAll(result.inputRequests as Questions | undefined, this.#answer);
      round = { ...params, inputResponses, ...(requestState === undefined ? {} : { requestState }) };
    }
    throw this.tooManyRounds(method);
  }

  #meta(params: object, options: RequestOptions, id: RequestId): object | undefined {
    const meta = {
      ...((params as { _meta?: object })._meta ?? {}),
      ...options._meta,
      ...(options.onProgress ? { progressToken: id } : {}),
    };
    if (this.#start.handshake) return Object.keys(meta).length === 0 ? undefined : meta;
    const logLevel = options.logLevel ?? this.#options.logLevel;
    return {
      [`${PREFIX}protocolVersion`]: this.#revision,
      [`${PREFIX}clientCapabilities`]: this.#capabilities,
      [`${PREFIX}clientInfo`]: this.#info,
      ...(logLevel ? { [`${PREFIX}logLevel`]: logLevel } : {}),
      ...meta,
    };
  }

  #notified(notification: Notification): void {
    this.#cache?.notified(notification);
    for (const subscription of this.subscriptions) subscription.add(notification);
    this.#options.onNotification?.(notification);
  }
}
