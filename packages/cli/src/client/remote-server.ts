import type { RequestOptions, TestClient } from "proffer/testing";
import { CommandError } from "../terminal/command-error.ts";
import { isObject } from "../terminal/json.ts";
import type { Lists } from "../terminal/listing.ts";
import { explainMalformed, INPUT_REQUIRED, PAGE, RESULT_SHAPES, type Shape, TASK } from "./shape.ts";

type Method = keyof typeof RESULT_SHAPES;
type Result<Name extends "call" | "read" | "get"> = Awaited<ReturnType<TestClient[Name]>>;
type Progress = { readonly [key: string]: unknown };

/** A server could answer with a question or a page each time. */
const MAX_ROUNDS = 50;
const MAX_PAGES = 1000;
const MAX_ITEMS = 100_000;

/** A server that is not trusted: results are checked before a command uses them, and lists end. */
export class RemoteServer implements Lists {
  readonly #name: string;
  readonly #client: TestClient;
  readonly #options: RequestOptions;

  /**
   * @param name - the name of the server in messages.
   * @param options - options of the requests that run the server's handlers.
   */
  constructor(name: string, client: TestClient, options: RequestOptions = {}) {
    this.#name = name;
    this.#client = client;
    this.#options = options;
  }

  /** The server's capabilities, from the response to `initialize` or `server/discover`. */
  get capabilities(): { readonly [name: string]: unknown } {
    const { capabilities } = this.#client.opened;
    return isObject(capabilities) ? capabilities : {};
  }

  /** The name that the server declares; a client's users may give it another. */
  get serverName(): string {
    const { serverInfo, _meta } = this.#client.opened;
    const info = serverInfo ?? (isObject(_meta) ? _meta["io.modelcontextprotocol/serverInfo"] : undefined);
    return isObject(info) && typeof info.name === "string" ? info.name : "server";
  }

  listTools = () => this.#list("tools/list", "tools") as ReturnType<Lists["listTools"]>;
  listPrompts = () => this.#list("prompts/list", "prompts") as ReturnType<Lists["listPrompts"]>;
  listResources = () => this.#list("resources/list", "resources") as ReturnType<Lists["listResources"]>;
  listTemplates = () =>
    this.#list("resources/templates/list", "resourceTemplates") as ReturnType<Lists["listTemplates"]>;

  call(name: string, input: object, onProgress?: (progress: Progress) => void): Promise<Result<"call">> {
    return this.#request("tools/call", { name, arguments: input }, onProgress);
  }

  read(uri: string): Promise<Result<"read">> {
    return this.#request("resources/read", { uri });
  }

  get(name: string, values: object): Promise<Result<"get">> {
    return this.#request("prompts/get", { name, arguments: values });
  }

  async #list(method: Method, key: string): Promise<unknown[]> {
    const all: unknown[] = [];
    const seen = new Set<string>();
    for (let cursor: string | undefined; ; ) {
      const page = await this.#request<{ [key: string]: unknown[] } & { nextCursor?: string | null }>(
        method,
        cursor === undefined ? {} : { cursor },
      );
      this.#check(PAGE, method, page);
      for (const item of page[key] ?? []) all.push(item);
      if (all.length > MAX_ITEMS) throw this.#endless(method, `has more than ${MAX_ITEMS} entries`);
      cursor = page.nextCursor ?? undefined;
      if (cursor === undefined) return all;
      if (seen.has(cursor)) throw this.#endless(method, "repeats a cursor and would never end");
      if (seen.add(cursor).size > MAX_PAGES) throw this.#endless(method, `has more than ${MAX_PAGES} pages`);
    }
  }

  async #request<Value>(method: Method, params: object, onProgress?: (progress: Progress) => void): Promise<Value> {
    let rounds = 0;
    const countRound = () => {
      if (++rounds <= MAX_ROUNDS) return;
      throw new CommandError(`${this.#name} still asked questions after ${MAX_ROUNDS} rounds of ${method}.`);
    };
    const result = await this.#client.request(method, params, {
      ...(onProgress && { onProgress }),
      ...(!method.endsWith("/list") && this.#options),
      onRound: (round) => {
        if (round.resultType !== "input_required") return;
        this.#check(INPUT_REQUIRED, method, round);
        countRound();
      },
      onTask: (task) => {
        this.#check(TASK, "tasks/get", task);
        if (task.status === "input_required") countRound();
        else if (task.statusMessage !== undefined) onProgress?.({ message: task.statusMessage });
      },
    });
    this.#check(RESULT_SHAPES[method], method, result);
    return result as Value;
  }

  /** @throws {CommandError} that names the server and the field. */
  #check(shape: Shape, method: Method | "tasks/get", result: unknown): void {
    const problem = shape(result, "");
    if (problem !== undefined) throw new CommandError(explainMalformed(this.#name, method, problem));
  }

  #endless(method: Method, problem: string): CommandError {
    return new CommandError(`The list that ${this.#name} sends for ${method} ${problem}.`);
  }
}
