import type { JsonObject } from "../protocol/messages.ts";
import type {
  PromptDescription,
  PromptResult,
  ReadResult,
  ResourceDescription,
  TemplateDescription,
  ToolDescription,
} from "../protocol/model.ts";
import type { Tool } from "../tools/define.ts";
import { ConnectionError, RemoteError } from "./errors.ts";
import { type ListenOptions, openOnSession, openStream, type Subscription } from "./listen.ts";
import { type CallArguments, callParams, type RequestOptions, type ToolCallResult } from "./options.ts";
import { Session } from "./session.ts";
import { checkShape, PAGE } from "./shape.ts";
import type { RemoteTask } from "./task.ts";

/** The lists of a server: the method and the member of its result, and the type of its items. */
const LISTS = {
  tools: ["tools/list", "tools"],
  prompts: ["prompts/list", "prompts"],
  resources: ["resources/list", "resources"],
  templates: ["resources/templates/list", "resourceTemplates"],
} as const;

/** The type of the items of each list. */
export interface ListItems {
  readonly tools: ToolDescription;
  readonly prompts: PromptDescription;
  readonly resources: ResourceDescription;
  readonly templates: TemplateDescription;
}

/** A list that is longer does not end. */
const MAX_PAGES = 1000;
const MAX_ITEMS = 100_000;
/** The characters of a list that has more than one page: two of the largest messages. */
const MAX_SIZE = 128 * 1024 * 1024;
const HEADER_MISMATCH = -32020;

/** A client of one server, with the same methods for every protocol revision. Create it with `connect`. */
export class Client extends Session {
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
    const params = callParams(tool, input[0]);
    try {
      return (await this.request("tools/call", params, input[1])) as never;
    } catch (error) {
      // Over HTTP, the list says which arguments must be repeated in headers. The tool did not run.
      if (!(error instanceof RemoteError) || error.code !== HEADER_MISMATCH) throw error;
      await this.listTools();
      return (await this.request("tools/call", params, input[1])) as never;
    }
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
    return this.#listAll("tools");
  }

  listPrompts(): Promise<PromptDescription[]> {
    return this.#listAll("prompts");
  }

  listResources(): Promise<ResourceDescription[]> {
    return this.#listAll("resources");
  }

  listTemplates(): Promise<TemplateDescription[]> {
    return this.#listAll("templates");
  }

  /**
   * Requests the pages of a list, each when the loop wants it.
   *
   * @example
   * for await (const tools of client.pages("tools")) console.log(tools.map(({ name }) => name));
   */
  async *pages<Kind extends keyof ListItems>(
    kind: Kind,
    options?: RequestOptions,
  ): AsyncGenerator<readonly ListItems[Kind][], void> {
    const [method, key] = LISTS[kind];
    const endless = (problem: string) =>
      new ConnectionError("malformed", `The list that ${this.name} sends for ${method} ${problem}.`);
    const seen = new Set<string>();
    let count = 0;
    let size = 0;
    for (let cursor: string | null | undefined; ; ) {
      const page = await this.request(method, cursor === undefined ? {} : { cursor }, options);
      checkShape(PAGE, this.name, method, page);
      const items = page[key] as readonly ListItems[Kind][];
      count += items.length;
      if (count > MAX_ITEMS) throw endless(`has more than ${MAX_ITEMS} entries`);
      yield kind === "tools" ? items.filter(({ name }) => !this.refuses(name)) : items;
      cursor = (page.nextCursor as string | null | undefined) ?? undefined;
      if (cursor === undefined) return;
      size += JSON.stringify(page).length;
      if (size > MAX_SIZE) throw endless(`has more than ${MAX_SIZE} characters`);
      if (seen.has(cursor)) throw endless("repeats a cursor and would never end");
      if (seen.add(cursor).size > MAX_PAGES) throw endless(`has more than ${MAX_PAGES} pages`);
    }
  }

  /**
   * Calls a tool and returns its task, to answer, cancel or read it by hand. @throws {Error} if the server answers
   * without a task.
   */
  async startTask<Called extends string | Tool>(tool: Called, ...input: CallArguments<Called>): Promise<RemoteTask> {
    const [values, options] = input;
    const params = callParams(tool, values);
    const result = await this.askRounds("tools/call", params, options);
    if (result.resultType === "task") return this.toTask(result, options?.onTask);
    throw new Error(`The call of ${params.name} was answered without a task: ${JSON.stringify(result)}`);
  }

  /** Subscribes to changes, and resolves when the server has confirmed it. */
  listen(options: ListenOptions): Promise<Subscription> {
    return this.hasHandshake ? openOnSession(this, options) : openStream(this, options);
  }

  async #listAll<Kind extends keyof ListItems>(kind: Kind): Promise<ListItems[Kind][]> {
    const all: ListItems[Kind][] = [];
    for await (const page of this.pages(kind)) for (const item of page) all.push(item);
    return all;
  }
}
