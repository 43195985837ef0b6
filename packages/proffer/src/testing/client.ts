import { TASKS } from "../features/tasks/protocol.ts";
import type { ErrorObject } from "../protocol/errors.ts";
import { isObject, type JsonObject, type RequestId } from "../protocol/messages.ts";
import type {
  ClientCapabilities,
  Implementation,
  PromptDescription,
  PromptResult,
  ReadResult,
  ResourceDescription,
  TemplateDescription,
  ToolDescription,
} from "../protocol/model.ts";
import type { Tool } from "../tools/define.ts";
import { type ListenOptions, listenTo, type Notification, Notifications, RemoteError, Transcript } from "./messages.ts";
import {
  type Asked,
  answerAll,
  type CallArguments,
  type ClientOptions,
  callParams,
  createAnswerer,
  DEFAULTS,
  type Link,
  type Questions,
  type RequestOptions,
  type ToolCallResult,
} from "./options.ts";
import { LostRequest, MAX_ROUNDS, TestTask, whileNotAborted } from "./task.ts";

type Pending = { resolve(result: JsonObject): void; reject(error: Error): void };

const PREFIX = "io.modelcontextprotocol/";

/** A client for tests, with the same methods for every protocol revision. Create it with `connect`. */
export class TestClient {
  readonly revision: string;
  /** All messages of both sides. */
  readonly transcript: Transcript;
  readonly #link: ReturnType<Link>;
  readonly #handshake: boolean;
  readonly #capabilities: ClientCapabilities;
  readonly #info: Implementation;
  readonly #answer: (asked: Asked) => Promise<object>;
  readonly #observe: ((notification: Notification) => void) | undefined;
  readonly #pending = new Map<RequestId, Pending>();
  readonly #progress = new Map<unknown, (progress: JsonObject) => void>();
  readonly #notifications: Notifications;
  #opened: JsonObject = {};
  #nextId = 1;
  /** Resolves when the server works again after `crash`. @internal */
  recovered: Promise<void> = Promise.resolve();

  constructor(link: Link, handshake: boolean, options: ClientOptions & { readonly revision: string }) {
    this.revision = options.revision;
    this.#handshake = handshake;
    this.#capabilities = options.capabilities ?? { ...DEFAULTS.capabilities, ...(handshake ? {} : TASKS) };
    this.#info = options.info ?? DEFAULTS.info;
    this.#answer = createAnswerer(options.answers);
    this.#observe = options.onNotification;
    this.transcript = new Transcript(options.keepsMessages);
    this.#notifications = new Notifications(options.keepsMessages);
    this.#link = link((text) => this.#receive(text));
  }

  /** Sends `initialize` or `server/discover` and returns the result. `connect` has already done so. */
  async open(): Promise<JsonObject> {
    const params = { protocolVersion: this.revision, capabilities: this.#capabilities, clientInfo: this.#info };
    this.#opened = await (this.#handshake ? this.request("initialize", params) : this.request("server/discover"));
    if (this.#handshake) this.notify("notifications/initialized");
    return this.#opened;
  }

  /** The result of `initialize` or `server/discover`. */
  get opened(): JsonObject {
    return this.#opened;
  }

  /**
   * Calls a tool, by name or by the tool itself, which checks the types of its input and output.
   *
   * @example
   * const { structuredContent } = await client.call(add, { a: 1, b: 2 });
   * const { content } = await client.call("add", { a: 1, b: 2 });
   */
  async call<Called extends string | Tool>(
    tool: Called,
    ...input: CallArguments<Called>
  ): Promise<ToolCallResult<Called>> {
    return (await this.request("tools/call", callParams(tool, input[0]), input[1])) as never;
  }

  /** Reads a resource. */
  async read(uri: string, options?: RequestOptions): Promise<ReadResult> {
    return (await this.request("resources/read", { uri }, options)) as never;
  }

  /** Gets a prompt. */
  async get(name: string, values?: Record<string, string>, options?: RequestOptions): Promise<PromptResult> {
    return (await this.request("prompts/get", { name, ...(values ? { arguments: values } : {}) }, options)) as never;
  }

  /** Returns the completions of an argument of a prompt or a resource template. */
  async complete(ref: JsonObject, name: string, value: string, known?: Record<string, string>): Promise<string[]> {
    const context = known === undefined ? {} : { context: { arguments: known } };
    const { completion } = await this.request("completion/complete", { ref, argument: { name, value }, ...context });
    return (completion as { values: string[] }).values;
  }

  listTools(): Promise<ToolDescription[]> {
    return this.#listAll("tools/list", "tools");
  }

  listPrompts(): Promise<PromptDescription[]> {
    return this.#listAll("prompts/list", "prompts");
  }

  listResources(): Promise<ResourceDescription[]> {
    return this.#listAll("resources/list", "resources");
  }

  listTemplates(): Promise<TemplateDescription[]> {
    return this.#listAll("resources/templates/list", "resourceTemplates");
  }

  /**
   * Sends a request, answers the server's questions, and returns the result. A call that became a task is polled to its
   * end, and cancelled if the signal aborts.
   */
  async request(method: string, params: object = {}, options: RequestOptions = {}): Promise<JsonObject> {
    const result = await this.#askRounds(method, params, options);
    if (result.resultType !== "task") return result;
    const { signal, onRound, onTask } = options;
    const task = this.#toTask(result, (state) => {
      if (state.status !== "working") onRound?.(state as never);
      onTask?.(state);
    });
    return (await whileNotAborted(task, signal)) as never;
  }

  /**
   * Calls a tool and returns its task, for tests that answer, cancel or read it by hand. @throws {Error} if the server
   * answers without a task.
   */
  async startTask<Called extends string | Tool>(tool: Called, ...input: CallArguments<Called>): Promise<TestTask> {
    const [values, options] = input;
    const params = callParams(tool, values);
    const result = await this.#askRounds("tools/call", params, options);
    if (result.resultType === "task") return this.#toTask(result, options?.onTask);
    throw new Error(`The call of ${params.name} was answered without a task: ${JSON.stringify(result)}`);
  }

  /**
   * Lets the process of the server die without a warning, and another one take over: requests without an answer reject,
   * and tasks continue from their last recorded step. In the process of the test, the runs of tasks are left behind.
   */
  crash(): Promise<void> {
    this.recovered = this.#crash();
    return this.recovered;
  }

  async #crash(): Promise<void> {
    if (this.#link.crash === undefined) throw new Error("The link of this client has no function crash().");
    const lost = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of lost) reject(new LostRequest());
    await this.#link.crash();
    if (this.#handshake) await this.open();
  }

  #toTask({ taskId }: JsonObject, observe: RequestOptions["onTask"]): TestTask {
    return new TestTask(this, taskId as string, this.#answer, observe);
  }

  /** Sends a request and answers the questions that end it. */
  async #askRounds(method: string, params: object, options: RequestOptions = {}): Promise<JsonObject> {
    let round: object = params;
    for (let rounds = 0; rounds < MAX_ROUNDS; rounds++) {
      const result = await this.requestOnce(method, round, options);
      if (result.resultType !== "task") options.onRound?.(result);
      if (result.resultType !== "input_required") return result;
      const { requestState } = result;
      const inputResponses = await answerAll(result.inputRequests as Questions | undefined, this.#answer);
      round = { ...params, inputResponses, ...(requestState === undefined ? {} : { requestState }) };
    }
    throw new Error(`The server still asked questions after ${MAX_ROUNDS} rounds.`);
  }

  /** Sends a request and returns the first response, a result or a question. */
  requestOnce(method: string, params: object = {}, options: RequestOptions = {}): Promise<JsonObject> {
    const id = this.#nextId++;
    const _meta = this.#meta(params, options, id);
    const message = { jsonrpc: "2.0", id, method, params: { ...params, ...(_meta ? { _meta } : {}) } };
    return new Promise((resolve, reject) => {
      const { signal } = options;
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      this.#pending.set(id, { resolve, reject });
      signal?.addEventListener("abort", () => {
        if (!this.#pending.delete(id)) return;
        this.notify("notifications/cancelled", { requestId: id });
        reject(signal.reason);
      });
      this.send(JSON.stringify(message));
    });
  }

  notify(method: string, params?: object): void {
    this.send(JSON.stringify({ jsonrpc: "2.0", method, ...(params ? { params } : {}) }));
  }

  /** Sends a raw text, for messages that no client should send. */
  send(text: string): void {
    this.transcript.add("client", text);
    this.#link.send(text);
  }

  /** Subscribes to changes and resolves when the server has confirmed it, with a function that unsubscribes. */
  async listen(options: ListenOptions): Promise<() => Promise<void>> {
    const { uris = [] } = options;
    if (!this.#handshake) return listenTo(this, options);
    for (const uri of uris) await this.request("resources/subscribe", { uri });
    return async () => {
      for (const uri of uris) await this.request("resources/unsubscribe", { uri });
    };
  }

  /** All notifications of the server, oldest first. */
  get notifications(): readonly Notification[] {
    return this.#notifications.received;
  }

  /** Returns the first notification that passes the test and that no earlier call returned, or waits for it. */
  waitFor(method: string, test: (notification: Notification) => boolean = () => true): Promise<Notification> {
    return this.#notifications.waitFor(method, test);
  }

  async close(): Promise<void> {
    await this.#link.close();
    for (const { reject } of this.#pending.values()) reject(new Error("The client was closed."));
    this.#pending.clear();
  }

  #meta(params: object, options: RequestOptions, id: RequestId): object | undefined {
    if (options.onProgress) this.#progress.set(id, options.onProgress);
    const meta = {
      ...((params as { _meta?: object })._meta ?? {}),
      ...options._meta,
      ...(options.onProgress ? { progressToken: id } : {}),
    };
    if (this.#handshake) return Object.keys(meta).length === 0 ? undefined : meta;
    return {
      [`${PREFIX}protocolVersion`]: this.revision,
      [`${PREFIX}clientCapabilities`]: this.#capabilities,
      [`${PREFIX}clientInfo`]: this.#info,
      ...(options.logLevel ? { [`${PREFIX}logLevel`]: options.logLevel } : {}),
      ...meta,
    };
  }

  async #listAll<Item>(method: string, key: string): Promise<Item[]> {
    const all: Item[] = [];
    let cursor: unknown;
    do {
      const result = await this.request(method, cursor === undefined ? {} : { cursor });
      all.push(...(result[key] as Item[]));
      cursor = result.nextCursor;
    } while (cursor !== undefined);
    return all;
  }

  #receive(text: string): void {
    this.transcript.add("server", text);
    const parsed: unknown = JSON.parse(text);
    for (const message of Array.isArray(parsed) ? parsed : [parsed]) this.#dispatch(message as JsonObject);
  }

  #dispatch(message: JsonObject): void {
    if (typeof message.method !== "string") this.#settle(message);
    else if ("id" in message) void this.#serve(message);
    else this.#onNotification({ method: message.method, params: isObject(message.params) ? message.params : {} });
  }

  #settle(message: JsonObject): void {
    const id = message.id as RequestId;
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    this.#progress.delete(id);
    if (isObject(message.error)) pending?.reject(new RemoteError(message.error as unknown as ErrorObject));
    else pending?.resolve(message.result as JsonObject);
  }

  #onNotification(notification: Notification): void {
    if (notification.method === "notifications/progress") {
      this.#progress.get(notification.params.progressToken)?.(notification.params);
    }
    this.#observe?.(notification);
    this.#notifications.add(notification);
  }

  /** Answers a request of the server, as in the older revisions. */
  async #serve(message: JsonObject): Promise<void> {
    const { id, method, params } = message;
    const answer = method === "ping" ? Promise.resolve({}) : this.#answer({ method, params: params ?? {} } as Asked);
    const outcome = await answer.then(
      (result) => ({ result }),
      ({ message }: Error) => ({ error: { code: -32603, message } }),
    );
    this.send(JSON.stringify({ jsonrpc: "2.0", id, ...outcome }));
  }
}
