import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";

const AUTHORIZATION = { authorization: "Bearer owner" };
const RECONNECT = {
  initialReconnectionDelay: 10,
  maxReconnectionDelay: 100,
  reconnectionDelayGrowFactor: 1,
  maxRetries: 1_000,
};
/** Milliseconds after which an event that has not come counts as lost. */
const PATIENCE = 30_000;

const itemOf = (id) => `shop://items/${id}`;
/** Reported again and again, until the stream is known to be open. */
const PROBE = itemOf(0);

/**
 * A session of 2025-11-25 through the official client: it begins at one node, listens at a second, calls at a third and
 * answers at a fourth. The second is killed with events that the client has not received; it listens on at another.
 */
export class SpreadSession {
  #context;
  #heard = [];
  /** The ids of the events of the stream, as they came. */
  #ids = [];
  #published = 0;
  #recovery = 0;

  constructor(context) {
    this.#context = context;
  }

  /**
   * Returns how many events were lost or came twice or in another order, and how many nodes found the session after its
   * end. A change that is reported again is another event: nodes do so after a gap between them, such as their start.
   */
  async toEnd() {
    const { balancer, nodes } = this.#context;
    const [a, b, c, d] = this.#shuffle();
    const turns = [a, d, c, d];
    let listener = b;
    balancer.route = ({ method }) => (method === "GET" ? listener : turns.shift());
    const { client, transport } = await this.#connect();
    const asked = await client.callTool({ name: "ask", arguments: {} });
    if (asked.content[0]?.text !== "Hello, Ada!") throw new Error(`The answer was lost: ${JSON.stringify(asked)}`);
    for (const uri of [PROBE, ...Array.from({ length: 6 }, (_, at) => itemOf(at + 1))])
      await client.subscribeResource({ uri });
    await this.#until(async () => {
      await nodes.publish(b, PROBE);
      return this.#heard.includes(PROBE);
    });
    const heard = async () => this.#items.length;
    const logged = () => this.#logged(transport.sessionId);
    await this.#publish([a, b, c, d], heard);

    // The client has lost the node of its stream, which still writes to the log.
    balancer.cut(b);
    await this.#publish([a, b, c, d], logged);
    await nodes.kill(b);
    const killed = performance.now();
    listener = a;
    await this.#until(async () => (await heard()) >= this.#published);
    this.#recovery = (performance.now() - killed) / 1000;
    await this.#publish([a, c, d], heard);

    // By turns: a node that is cut has none.
    await transport.terminateSession();
    const alive = await this.#countAlive(transport.sessionId, [a, c, d]);
    await client.close();
    await nodes.replace(b);
    balancer.restore(b);
    return { ...this.#figures(), alive };
  }

  async #connect() {
    const client = new Client({ name: "faults", version: "1.0.0" }, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { name: "Ada" } }));
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void this.#heard.push(params.uri));
    const options = {
      reconnectionOptions: RECONNECT,
      requestInit: { headers: AUTHORIZATION },
      fetch: (url, init) => this.#fetch(url, init),
    };
    const transport = new StreamableHTTPClientTransport(new URL(this.#context.balancer.url), options);
    await client.connect(transport);
    return { client, transport };
  }

  /** Reads the ids of events, which the client does not show. */
  async #fetch(url, init) {
    const response = await fetch(url, init);
    if (init.method !== "GET" || response.body === null) return response;
    const [own, its] = response.body.tee();
    // A connection that breaks ends with an error.
    this.#readIds(own).catch(() => {});
    return new Response(its, { status: response.status, headers: response.headers });
  }

  async #readIds(body) {
    let rest = "";
    for await (const text of body.pipeThrough(new TextDecoderStream())) {
      const events = (rest + text).split("\n\n");
      rest = events.pop();
      for (const event of events) if (/^data: ?\S/m.test(event)) this.#ids.push(/^id: ?(.*)$/m.exec(event)?.[1]);
    }
  }

  /** The changes that were reported, in order of their first event, without those of the probe. */
  get #items() {
    return [...new Set(this.#heard)].filter((uri) => uri !== PROBE);
  }

  /** Reports two changes, each at one of the nodes. Those of different nodes have no order, unless the first has arrived. */
  async #publish(at, countArrived) {
    const { nodes, random } = this.#context;
    for (let done = 0; done < 2; done++) {
      const before = await countArrived();
      await nodes.publish(random.pick(at), itemOf(++this.#published));
      await this.#until(async () => (await countArrived()) > before);
    }
  }

  /** The number of events in the log of the stream. */
  async #logged(session) {
    return Number((await this.#context.engine.command("XLEN", `faults:l:faults session ${session} g1`)).slice(1));
  }

  async #countAlive(session, nodes) {
    const { urls } = this.#context.nodes;
    const headers = {
      ...AUTHORIZATION,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-session-id": session,
      "mcp-protocol-version": "2025-11-25",
    };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
    const answers = await Promise.all(nodes.map((at) => fetch(urls[at], { method: "POST", headers, body })));
    return answers.filter(({ status }) => status !== 404).length;
  }

  #figures() {
    const items = this.#items;
    const expected = Array.from({ length: this.#published }, (_, at) => itemOf(at + 1));
    const order = expected.filter((uri) => items.includes(uri));
    if (this.#ids.length < items.length) throw new Error("The ids of events were not seen.");
    return {
      events: expected.length,
      lost: expected.length - order.length,
      twice: this.#ids.length - new Set(this.#ids).size,
      again: this.#heard.filter((uri) => uri !== PROBE).length - items.length,
      disordered: items.some((uri, at) => uri !== order[at]) ? 1 : 0,
      recovery: this.#recovery,
    };
  }

  /** Waits for a state; a missing one is found in the figures. */
  async #until(isReached) {
    const end = performance.now() + PATIENCE;
    while (!(await isReached()) && performance.now() < end) await sleep(20);
  }

  #shuffle() {
    const { nodes, random } = this.#context;
    const [rest, order] = [Array.from({ length: nodes.length }, (_, at) => at), []];
    while (rest.length > 0) order.push(...rest.splice(random.below(rest.length), 1));
    return order;
  }
}
