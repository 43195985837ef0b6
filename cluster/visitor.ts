import { legacy, modern, post, postModern } from "../packages/proffer/test/http/http-client.ts";

const CAPABILITIES = { elicitation: {}, extensions: { "io.modelcontextprotocol/tasks": {} } };
const INITIALIZE = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "visitor", version: "1.0.0" },
};

/** A client of the server behind the balancer, which sends each request again that a dying node did not answer. */
export class Visitor {
  readonly #url: string;
  #session: string | undefined;
  #task: { readonly id: string; readonly number: number } | undefined;
  static #tasks = 0;

  constructor(url: string) {
    this.#url = url;
  }

  /** Calls a tool on the newest revision, which needs no session; returns the node that answered. */
  async call(): Promise<string> {
    const { result } = await this.#modern("tools/call", { name: "where", arguments: {} });
    return result.content[0].text;
  }

  /** Calls a tool in a session of an older revision, which all nodes share. */
  async visit(): Promise<string> {
    this.#session ??= await this.#open();
    const headers = { "mcp-session-id": this.#session, "mcp-protocol-version": "2025-11-25" };
    const message = legacy("tools/call", { name: "visit", arguments: {} });
    const { status, json } = await this.#again(() => post(this.#url, message, headers));
    if (status === 404) this.#session = undefined;
    return status === 200 ? json.result.content[0].text : `error ${status}`;
  }

  /** Looks at the task: answers its question, begins the next one after its end, and returns the status. */
  async watch(): Promise<string> {
    this.#task ??= await this.#begin();
    const { id: taskId, number } = this.#task;
    const { result, error } = await this.#modern("tasks/get", { taskId });
    if (result?.status === "input_required") {
      const answers = Object.keys(result.inputRequests).map((key) => [
        key,
        { action: "accept", content: { keep: true } },
      ]);
      await this.#modern("tasks/update", { taskId, inputResponses: Object.fromEntries(answers) });
      return `task ${number}: answered its question`;
    }
    if (result?.status === "working") return `task ${number}: ${result.statusMessage ?? "waiting for a node"}`;
    this.#task = undefined;
    const end = result?.result?.content[0].text ?? (result?.error ?? error).message;
    return `task ${number} ${result?.status ?? "is gone"}: ${end}`;
  }

  async #begin() {
    const { result, error } = await this.#modern("tools/call", { name: "move_house", arguments: {} });
    if (result === undefined) throw new Error(error.message);
    return { id: result.taskId, number: ++Visitor.#tasks };
  }

  async #open(): Promise<string> {
    const { headers, status } = await this.#again(() => post(this.#url, legacy("initialize", INITIALIZE)));
    if (status !== 200) throw new Error(`no session: ${status}`);
    return String(headers["mcp-session-id"]);
  }

  async #modern(method: string, params: object) {
    const { json } = await this.#again(() => postModern(this.#url, modern(method, params, CAPABILITIES)));
    return json;
  }

  /** Every request of this client may be repeated. A node that dies breaks its connections. */
  async #again<Answer>(send: () => Promise<Answer>): Promise<Answer> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await send();
      } catch (error) {
        if (attempt === 20) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }
}
