import type { IncomingMessage, ServerResponse } from "node:http";
import { isObject, parseJson } from "../../terminal/json.ts";
import { anthropic } from "./anthropic.ts";
import { chat } from "./chat.ts";
import { type Dialect, type ModelCall, type ModelRequest, type ShownTool, textsIn } from "./dialect.ts";
import { gemini } from "./gemini.ts";
import { responses } from "./responses.ts";

const DIALECTS: readonly Dialect[] = [anthropic, responses, chat, gemini];
/** A client sends the whole conversation with each request. */
const MAX_BODY = 64 * 1024 * 1024;
/** A client that never stops must not fill the memory. */
const MAX_CALLS = 100;

/** A call that the model shall make, by the name of the tool in the server's list. */
export interface ScriptedCall {
  readonly tool: string;
  readonly arguments: object;
}

/** A call that the model has made. */
export interface MadeCall extends ScriptedCall {
  readonly id: string;
  readonly shown: ShownTool;
  /** The result of the call before asked for it, as `task_status`. */
  readonly follows: boolean;
  /** In milliseconds, as all times of a run. */
  readonly at: number;
  /** What the client has added to the conversation since, as the model got it. */
  seen?: { readonly at: number; readonly entries: readonly unknown[] };
}

/** A model that makes the calls of a script, one after the other, behind the APIs of four vendors. */
export class ScriptedModel {
  /** The calls so far. */
  readonly made: MadeCall[] = [];
  /** The tools of the script that the model was not shown. */
  readonly unknown: string[] = [];
  /** All tools that the model was shown in one request or another. */
  readonly tools = new Map<string, ShownTool>();
  /** The texts that reached the model. */
  readonly texts = new Set<string>();
  /** The time of the first request. */
  asked: number | undefined;
  /** The calls of the script that the model has not made. */
  readonly left: ScriptedCall[];
  readonly #find: (tool: string, shown: readonly ShownTool[]) => ShownTool | undefined;
  readonly #now: () => number;
  /** A search of the client's own, which shows more tools. */
  #search: ModelCall | undefined;
  #turns = 0;

  /**
   * @param find - finds a tool by its name in the server's list
   * @param now - the clock of the run
   */
  constructor(
    script: readonly ScriptedCall[],
    find: (tool: string, shown: readonly ShownTool[]) => ShownTool | undefined,
    now: () => number,
  ) {
    this.left = [...script];
    this.#find = find;
    this.#now = now;
  }

  /** Answers a request of a client, and refuses what it does not know. */
  readonly listener = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? "").replace(/\?.*/s, "");
    const body = await bodyOf(request);
    const sent = body === undefined ? undefined : parseJson(body);
    const dialect = DIALECTS.find((each) => each.path.test(path));
    if (dialect === undefined || !isObject(sent)) {
      const known = /count_?tokens$/i.test(path) ? { input_tokens: 1, totalTokens: 1 } : { data: [], models: [] };
      response.writeHead(/count_?tokens$|\/models$/i.test(path) ? 200 : 404, { "content-type": "application/json" });
      response.end(JSON.stringify(known));
      return;
    }
    this.asked ??= this.#now();
    for (const text of textsIn(sent)) this.texts.add(text);
    const turn = { id: `${++this.#turns}`, ...this.#next(dialect.read(sent)) };
    if (!dialect.isStream(sent, path)) {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(dialect.whole(turn, sent.model)));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const [name, data] of dialect.events(turn, sent.model)) {
      const line = typeof data === "string" ? data : JSON.stringify(data);
      response.write(`${name === undefined ? "" : `event: ${name}\n`}data: ${line}\n\n`);
    }
    response.end();
  };

  #next({ tools, entries }: ModelRequest): Next {
    // Such as for a title of the conversation.
    if (tools.length === 0) return END;
    for (const tool of tools) this.tools.set(`${tool.namespace ?? ""} ${tool.name}`, tool);
    const added = entries.slice(entries.findLastIndex(({ from }) => from === "model") + 1);
    const isAnswered = (call: ModelCall | MadeCall) =>
      added.length < entries.length && added.some(({ callId }) => callId === undefined || callId === call.id);
    const open = this.made.find(({ seen }) => seen === undefined);
    if (open !== undefined) {
      // The client may repeat a request that failed.
      if (!isAnswered(open)) return { call: toCall(open) };
      open.seen = { at: this.#now(), entries: added.map(({ content }) => content) };
    }
    if (this.#search !== undefined && !isAnswered(this.#search)) return { call: this.#search };
    return this.#choose(tools);
  }

  #choose(tools: readonly ShownTool[]): Next {
    const follow = this.#followUp();
    const next = follow ?? this.left[0];
    if (next === undefined || this.made.length >= MAX_CALLS) return END;
    const shown = this.#find(next.tool, [...tools, ...this.tools.values()]);
    if (shown === undefined) {
      const search = tools.find(({ name }) => /^tool_?search$/i.test(name));
      if (search !== undefined && this.#search?.id !== `search_${next.tool}`) {
        const id = `search_${next.tool}`;
        this.#search = { id, name: search.name, arguments: { query: next.tool, limit: 10, max_results: 10 } };
        return { call: this.#search };
      }
      this.unknown.push(next.tool);
      this.left.shift();
      return this.#choose(tools);
    }
    if (follow === undefined) this.left.shift();
    const { tool, arguments: input } = next;
    const id = `call_${this.made.length + 1}`;
    const made: MadeCall = { tool, arguments: input, id, shown, follows: follow !== undefined, at: this.#now() };
    this.made.push(made);
    return { call: toCall(made) };
  }

  /** As a model that does what a result says: wait for a task with `task_status`. */
  #followUp(): ScriptedCall | undefined {
    const texts = textsIn(this.made.at(-1)?.seen?.entries);
    const [, id] = texts.map((text) => STILL_RUNNING.exec(text)).find((found) => found !== null) ?? [];
    return id === undefined ? undefined : { tool: "task_status", arguments: { id } };
  }
}

type Next = { readonly call: ModelCall } | { readonly text: string };

const END: Next = { text: "Done." };
const STILL_RUNNING = /Still running\. Task ([\w-]+)/;

function toCall({ id, shown, arguments: input }: MadeCall): ModelCall {
  const { name, namespace } = shown;
  return { id, name, ...(namespace !== undefined && { namespace }), arguments: input };
}

/** Reads a body; undefined if it is too large. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
