import { register } from "node:module";
import { join } from "node:path";
import { freePort } from "../scripts/free-port.mjs";
import { Random } from "../soak/random.mjs";
import { Engine } from "./engine.mjs";
import { Folder } from "./folder.mjs";
import { Node } from "./node/process.mjs";
import { SpreadSession } from "./spread-session.mjs";

// The balancer is that of the tests, in TypeScript.
register("../scripts/typescript-hooks.mjs", import.meta.url);
const { Balancer } = await import("../packages/proffer/test/http/balancer.ts");

const NODES = 4;

/** Runs one session after the other over four nodes and a balancer, and kills a node in each. Returns the figures. */
export async function runSessions(_scenario, { seed, tasks: count, say }) {
  const folder = new Folder();
  const random = new Random(seed);
  const started = performance.now();
  const nodes = new SessionNodes(join(folder.path, "effects"));
  const sessions = [];
  let engine;
  let balancer;
  try {
    engine = await Engine.start(folder.path);
    await nodes.start(engine.port);
    balancer = await Balancer.open(nodes.urls);
    while (sessions.length < count) {
      const session = new SpreadSession({ engine, nodes, balancer, random });
      sessions.push(await session.toEnd());
      say(`${sessions.length} of ${count} sessions`);
    }
  } finally {
    await balancer?.close();
    await nodes.stop();
    await engine?.kill();
    folder.remove();
  }
  const sum = (name) => sessions.reduce((total, session) => total + session[name], 0);
  return {
    tasks: count,
    steps: sum("events"),
    faults: count,
    lost: sum("lost"),
    recordedTwice: sum("twice"),
    endedOtherwise: sum("disordered") + sum("alive"),
    effectsAgain: sum("again"),
    recovery: Math.max(...sessions.map(({ recovery }) => recovery)),
    seconds: (performance.now() - started) / 1000,
  };
}

/** Nodes that keep their ports when they are replaced, so that the balancer finds them. */
class SessionNodes {
  #effects;
  #settings;
  #nodes = [];

  constructor(effects) {
    this.#effects = effects;
  }

  get urls() {
    return this.#nodes.map(({ port }) => `http://127.0.0.1:${port}/mcp`);
  }

  get length() {
    return this.#nodes.length;
  }

  async start(redisPort) {
    this.#settings = { redisPort, effects: this.#effects, lockDuration: 3_000 };
    for (let at = 0; at < NODES; at++) this.#nodes.push(await this.#load(await freePort()));
  }

  /** Reports a change of a resource on one node. */
  async publish(at, uri) {
    const { error } = await this.#nodes[at].request("tools/call", { name: "publish", arguments: { uri } }, "owner");
    if (error !== undefined) throw new Error(error.message);
  }

  kill(at) {
    return this.#nodes[at].end("SIGKILL");
  }

  async replace(at) {
    this.#nodes[at] = await this.#load(this.#nodes[at].port);
  }

  async stop() {
    await Promise.all(this.#nodes.map((node) => node.end()));
  }

  async #load(port) {
    return (await Node.load({ ...this.#settings, port })).start();
  }
}
