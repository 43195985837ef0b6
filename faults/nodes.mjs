import { Node } from "./node/process.mjs";

/** The nodes of the server under test. A node that ends is replaced. */
export class Nodes {
  #settings;
  #nodes = [];
  /** Nodes that are loaded ahead of their time, which takes about as long as the pause between two kills. */
  #spares = [];
  #replacing = [];
  #loaded = 0;

  static async start(count, settings) {
    const nodes = new Nodes();
    nodes.#settings = settings;
    const starting = Array.from({ length: count }, async () => (await nodes.#load()).start());
    nodes.#nodes = await Promise.all(starting);
    nodes.#spares = Array.from({ length: settings.spares ?? 0 }, () => nodes.#load());
    await Promise.all(nodes.#spares);
    return nodes;
  }

  /** The nodes that answer. */
  get answering() {
    return this.#nodes.filter((node) => node.running && !node.frozen);
  }

  /** Ends a node by a signal and starts another. */
  replace(node, signal) {
    this.#replacing.push(this.#replace(node, signal));
  }

  async #replace(node, signal) {
    this.#nodes = this.#nodes.filter((other) => other !== node);
    const ended = node.end(signal);
    this.#spares.push(this.#load());
    const next = await this.#spares.shift();
    await next.start();
    this.#nodes.push(next);
    await ended;
  }

  /** Each node has one of the clocks, in turn. */
  #load() {
    const { clocks = [0] } = this.#settings;
    return Node.load({ ...this.#settings, clock: clocks[this.#loaded++ % clocks.length] });
  }

  /** Sends a request to one of the nodes. */
  request(random, method, params, principal) {
    const nodes = this.answering;
    if (nodes.length === 0) return Promise.reject(new Error("no node answers"));
    return random.pick(nodes).request(method, params, principal);
  }

  async stop() {
    await Promise.allSettled(this.#replacing);
    for (const node of this.#nodes) if (node.frozen) node.signal("SIGCONT");
    const spares = await Promise.all(this.#spares);
    await Promise.all([...this.#nodes, ...spares].map((node) => node.end()));
  }
}
