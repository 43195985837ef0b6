import type { ErrorObject } from "../protocol/errors.ts";
import { isObject, type JsonObject, type RequestId } from "../protocol/messages.ts";
import type {
  CallResult,
  ClientCapabilities,
  LogLevel,
  PromptDescription,
  PromptResult,
  ReadResult,
  ResourceDescription,
  TemplateDescription,
  ToolDescription,
} from "../protocol/model.ts";
import type { Tool } from "../tools/define.ts";
import { type Asked, createAnswerer, type ScriptedAnswers } from "./answers.ts";
import { type ListenOptions, listenTo } from "./listen.ts";
import { type Notification, Notifications } from "./notifications.ts";
import { Transcript } from "./transcript.ts";

/** How a client reaches a server: in memory, or over whatever carries texts. */
export type Link = (receive: (text: string) => void) => { send(text: string): void; close(): void | Promise<void> };

export interface ClientOptions {
  /** The protocol revision to speak. Default: the newest. */
  readonly revision?: string;
  readonly answers?: ScriptedAnswers;
  /** Default: all that can be answered by script. */
  readonly capabilities?: ClientCapabilities;
}

/** An error that the server answered with. */
export class RemoteError extends Error {
  override readonly name = "RemoteError";
  readonly code: number;
  readonly data: unknown;

  constructor(error: ErrorObject) {
    super(error.message);
    this.code = error.code;
    this.data = error.data;
  }
}

export interface RequestOptions {
  /** Asks for progress, and hears of it. */
  readonly onProgress?: (progress: JsonObject) => void;
  /** Cancels the request when it aborts. */
  readonly signal?: AbortSignal;
  /** The least level of log messages to send during this request, where the revision has that per request. */
  readonly logLevel?: LogLevel;
  /** Hears of each answer, be it the result or a question on the way to it. */
  readonly onRound?: (result: JsonObject) => void;
  readonly _meta?: JsonObject;
}

interface Pending {
  resolve(result: JsonObject): void;
  reject(error: Error): void;
}

const ALL_CAPABILITIES: ClientCapabilities = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} };
const PREFIX = "io.modelcontextprotocol/";
const INFO = { name: "proffer-testing", version: "1" };
/** A retry that leads to another question is answered so many times at most. */
const MAX_ROUNDS = 100;

/** A client for tests. It speaks every revision with the same methods. */
export class TestClient {
  readonly revision: string;
  readonly transcript = new Transcript();
  readonly #link: ReturnType<Link>;
  readonly #handshake: boolean;
  readonly #capabilities: ClientCapabilities;
  readonly #answer: (asked: Asked) => Promise<object>;
  readonly #pending = new Map<RequestId, Pending>();
  readonly #progress = new Map<unknown, (progress: JsonObject) => void>();
  readonly #notifications = new Notifications();
  #nextId = 1;

  constructor(link: Link, handshake: boolean, options: ClientOptions & { readonly revision: string }) {
    this.revision = options.revision;
    this.#handshake = handshake;
    this.#capabilities = options.capabilities ?? ALL_CAPABILITIES;
    this.#answer = createAnswerer(options.answers);
    this.#link = link((text) => this.#receive(text));
  }

  /** What `initialize` or `server/discover` says of the server. */
  async open(): Promise<JsonObject> {
    if (!this.#handshake) return this.request("server/discover");
    const params = { protocolVersion: this.revision, capabilities: this.#capabilities, clientInfo: INFO };
    const result = await this.request("initialize", params);
    this.notify("notifications/initialized");
    return result;
  }

  /** Calls a tool by its name, or by what `defineTool` returned, which knows its types. */
  call(tool: string, input?: object, options?: RequestOptions): Promise<CallResult>;
  call<Input, Output>(
    tool: Tool<Input, Output>,
    ...rest: undefined extends Input
      ? [input?: Input, options?: RequestOptions]
      : [input: Input, options?: RequestOptions]
  ): Promise<CallResult & { readonly structuredContent?: Output }>;
  async call(tool: string | Tool, input?: unknown, options?: RequestOptions): Promise<CallResult> {
    const name = typeof tool === "string" ? tool : tool.name;
    const params = input === undefined ? { name } : { name, arguments: input };
    return (await this.request("tools/call", params, options)) as never;
  }

  async read(uri: string, options?: RequestOptions): Promise<ReadResult> {
    return (await this.request("resources/read", { uri }, options)) as never;
  }

  async get(name: string, values?: Record<string, string>, options?: RequestOptions): Promise<PromptResult> {
    return (await this.request("prompts/get", { name, ...(values ? { arguments: values } : {}) }, options)) as never;
  }

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

  /** Sends a request and answers whatever the server asks before it has a result. */
  async request(method: string, params: object = {}, options: RequestOptions = {}): Promise<JsonObject> {
    let round: object = params;
    for (let rounds = 0; rounds < MAX_ROUNDS; rounds++) {
      const result = await this.requestOnce(method, round, options);
      options.onRound?.(result);
      if (result.resultType !== "input_required") return result;
      round = { ...params, ...(await this.#respondTo(result)) };
    }
    throw new Error(`The server went on asking after ${MAX_ROUNDS} rounds.`);
  }

  /** Sends a request and gives the first answer, be it a result or a question. */
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

  /** Sends a text as it is: for messages that no client should send. */
  send(text: string): void {
    this.transcript.add("client", text);
    this.#link.send(text);
  }

  /** Asks to hear of changes, and resolves when the server has agreed; the function that it gives ends it. */
  async listen(wanted: ListenOptions): Promise<() => Promise<void>> {
    const { uris = [] } = wanted;
    if (!this.#handshake) return listenTo(this, wanted);
    for (const uri of uris) await this.request("resources/subscribe", { uri });
    return async () => {
      for (const uri of uris) await this.request("resources/unsubscribe", { uri });
    };
  }

  /** All that the server sent without being asked, oldest first. */
  get notifications(): readonly Notification[] {
    return this.#notifications.heard;
  }

  /** The first notification that passes the test and nobody has waited for, be it here already or still to come. */
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
      [`${PREFIX}clientInfo`]: INFO,
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

  async #respondTo(result: JsonObject): Promise<object> {
    const { inputRequests, requestState } = result as { inputRequests?: Record<string, Asked>; requestState?: string };
    const inputResponses: Record<string, object> = {};
    for (const [key, asked] of Object.entries(inputRequests ?? {})) inputResponses[key] = await this.#answer(asked);
    return { inputResponses, ...(requestState === undefined ? {} : { requestState }) };
  }

  #receive(text: string): void {
    this.transcript.add("server", text);
    const parsed: unknown = JSON.parse(text);
    for (const message of Array.isArray(parsed) ? parsed : [parsed]) this.#take(message as JsonObject);
  }

  #take(message: JsonObject): void {
    if (typeof message.method !== "string") this.#settle(message);
    else if ("id" in message) void this.#serve(message);
    else this.#hear({ method: message.method, params: isObject(message.params) ? message.params : {} });
  }

  #settle(message: JsonObject): void {
    const id = message.id as RequestId;
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    this.#progress.delete(id);
    if (isObject(message.error)) pending?.reject(new RemoteError(message.error as unknown as ErrorObject));
    else pending?.resolve(message.result as JsonObject);
  }

  #hear(notification: Notification): void {
    if (notification.method === "notifications/progress") {
      this.#progress.get(notification.params.progressToken)?.(notification.params);
    }
    this.#notifications.hear(notification);
  }

  /** Answers a request of the server, as clients of the older revisions do. */
  async #serve(message: JsonObject): Promise<void> {
    const { id, method, params } = message;
    let outcome: object;
    try {
      outcome =
        method === "ping" ? { result: {} } : { result: await this.#answer({ method, params: params ?? {} } as Asked) };
    } catch (error) {
      outcome = { error: { code: -32603, message: (error as Error).message } };
    }
    this.send(JSON.stringify({ jsonrpc: "2.0", id, ...outcome }));
  }
}
