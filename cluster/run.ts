import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { Balancer } from "../packages/proffer/test/http/balancer.ts";
import { findEngine, startEngine } from "../packages/proffer/test/ports/start-engine.ts";
import { Nodes } from "./nodes.ts";
import { Visitor } from "./visitor.ts";

/** The nodes of the cluster. */
const NODES = 4;

export interface ClusterOptions {
  /** Kills a node every this many seconds. */
  readonly kill?: number | undefined;
  /** Ends the cluster. */
  readonly signal: AbortSignal;
  /** Prints a line. */
  readonly say: (text: string) => void;
}

/** Runs an engine, nodes, a balancer and a client until the signal. */
export async function runCluster({ kill, signal, say }: ClusterOptions): Promise<void> {
  const found = findEngine(process.env);
  if (found === undefined) throw new Error("There is no Redis or Valkey: install one, or run npm install.");
  const closing: (() => unknown)[] = [];
  try {
    const engine = await startEngine(found);
    closing.push(() => engine.stop());
    say(`${NAMES[found.kind]} at ${engine.host}:${engine.port}`);
    const env = {
      PROFFER_REDIS_URL: `redis://${engine.host}:${engine.port}`,
      PROFFER_REDIS_PREFIX: `cluster-${process.pid}`,
      PROFFER_KEYS: randomBytes(32).toString("base64"),
    };
    if (signal.aborted) return;
    const nodes = await Nodes.start(NODES, env, say);
    closing.push(() => nodes.stop());
    const balancer = await Balancer.open(nodes.urls);
    closing.push(() => balancer.close());
    say(`the balancer is ready: ${balancer.url}`);
    say("kill any node (kill -9 <pid>) and watch; Ctrl-C ends everything");
    const murder = kill === undefined ? undefined : setInterval(killNext(nodes), kill * 1000);
    closing.push(() => clearInterval(murder));
    await visit(balancer, signal, say);
  } finally {
    say("ending the cluster");
    for (const close of closing.reverse()) await close();
  }
}

const NAMES = { address: "Redis of PROFFER_TEST_REDIS", native: "Redis", wasm: "Valkey as WebAssembly" };

function killNext(nodes: Nodes): () => void {
  let at = 0;
  return () => nodes.kill(at++);
}

/** Sends requests, and prints a line of answers a second. */
async function visit(balancer: Balancer, signal: AbortSignal, say: (text: string) => void): Promise<void> {
  // While a task waits for the lock of a killed node to end, the other one shows that work goes on.
  const [visitor, other] = [new Visitor(balancer.url), new Visitor(balancer.url)];
  const report = (failure: Error) => `no answer: ${failure.message}`;
  while (!signal.aborted) {
    const calls: string[] = [];
    for (let call = 0; call < NODES; call++) calls.push(await visitor.call().catch(report));
    const session = await visitor.visit().catch(report);
    const tasks = [await visitor.watch().catch(report), await other.watch().catch(report)];
    if (!signal.aborted) say(`calls: ${calls.join(", ")} · session: ${session} · ${tasks.join(" · ")}`);
    // The balancer remembers them for tests.
    balancer.routed.length = 0;
    await pause(1000, undefined, { signal }).catch(() => {});
  }
}
