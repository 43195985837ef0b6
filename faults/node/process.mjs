import { fork } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("./main.mjs", import.meta.url));
const META = "io.modelcontextprotocol/";
const REVISION = "2026-07-28";
const ENVELOPE = {
  [`${META}protocolVersion`]: REVISION,
  [`${META}clientInfo`]: { name: "faults", version: "1.0.0" },
  [`${META}clientCapabilities`]: { elicitation: { form: {} }, extensions: { [`${META}tasks`]: {} } },
};

/** A node of the server under test. */
export class Node {
  port;
  frozen = false;
  #child;
  #agent = new http.Agent({ keepAlive: true, maxSockets: 64 });

  /** Loads a node: it does nothing until `start`. */
  static async load(settings) {
    const child = fork(program, [JSON.stringify(settings)], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
    const node = new Node(child);
    await node.#receive();
    return node;
  }

  constructor(child) {
    this.#child = child;
  }

  /** Starts it; it listens when this resolves. */
  async start() {
    this.#child.send("start");
    this.port = (await this.#receive()).port;
    return this;
  }

  async #receive() {
    const received = new AbortController();
    const { signal } = received;
    const ended = once(this.#child, "exit", { signal }).then(() => Promise.reject(new Error("A node did not start.")));
    const [message] = await Promise.race([once(this.#child, "message", { signal }), ended]);
    ended.catch(() => {});
    received.abort();
    return message;
  }

  get running() {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  signal(name) {
    if (this.running) this.#child.kill(name);
    this.frozen = name === "SIGSTOP";
  }

  /** Sends a signal that ends the process, and waits for the end. */
  async end(name = "SIGKILL") {
    if (!this.running) return;
    const exit = once(this.#child, "exit");
    this.signal(name);
    await exit;
    this.#agent.destroy();
  }

  /** Sends a request; resolves with the message that answers it. Rejects if the node ends or does not answer in time. */
  async request(method, params, principal) {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: ENVELOPE } });
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${principal}`,
      "mcp-protocol-version": REVISION,
      "mcp-method": method,
      "mcp-name": params.taskId ?? params.name,
    };
    const { text } = await this.#send({ method: "POST", path: "/mcp", headers }, body, 10_000);
    return JSON.parse(text.slice(text.indexOf("{")));
  }

  /** Whether the node says that it is ready. */
  async isReady() {
    const answer = await this.#send({ method: "GET", path: "/readyz" }, "", 3_000).catch(() => undefined);
    return answer?.status === 200;
  }

  #send(options, body, milliseconds) {
    return new Promise((resolve, reject) => {
      const target = { host: "127.0.0.1", port: this.port, agent: this.#agent, ...options };
      const request = http.request(target, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk) => {
          text += chunk;
        });
        response.on("end", () => resolve({ status: response.statusCode, text }));
        response.on("error", reject);
      });
      request.setTimeout(milliseconds, () => request.destroy(new Error("no answer in time")));
      request.on("error", reject);
      request.end(body);
    });
  }
}
