import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { freePort } from "../packages/proffer/test/free-port.ts";

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The lines of a node's output that are kept, to explain why it did not start. */
const KEPT_LINES = 20;

/** One node: its process is replaced when it ends, on the same port. */
class Node {
  process: ChildProcess | undefined;
  readonly name: string;
  readonly port: number;
  #output: string[] = [];

  constructor(name: string, port: number) {
    this.name = name;
    this.port = port;
  }

  /** Resolves when the node is ready: it listens, and has reached Redis. */
  async start(env: NodeJS.ProcessEnv): Promise<void> {
    const args = [file("../packages/proffer/dist/bin.js"), "serve", file("server.ts"), "--http", `${this.port}`];
    const child = spawn(process.execPath, ["--import", file("lifeline.mjs"), ...args, "--health"], {
      // In its own process group: Ctrl-C reaches this process only, which then ends the nodes.
      detached: true,
      stdio: ["pipe", "ignore", "pipe"],
      env: { ...process.env, ...env, CLUSTER_NODE: this.name },
    });
    this.process = child;
    this.#output = [];
    child.stderr.on("data", (chunk) => {
      this.#output = [...this.#output, ...String(chunk).split("\n")].slice(-KEPT_LINES);
    });
    while (!(await this.#isReady())) {
      if (hasEnded(child)) throw new Error(`${this.name} did not start:\n${this.#output.join("\n")}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async stop(): Promise<void> {
    if (this.process === undefined || hasEnded(this.process)) return;
    const ended = once(this.process, "exit");
    this.process.kill("SIGTERM");
    await ended;
  }

  async #isReady(): Promise<boolean> {
    const signal = AbortSignal.timeout(1000);
    const answer = await fetch(`http://127.0.0.1:${this.port}/readyz`, { signal }).catch(() => undefined);
    await answer?.body?.cancel();
    return answer?.ok === true;
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** The nodes of the cluster. */
export class Nodes {
  readonly #nodes: readonly Node[];
  readonly #env: NodeJS.ProcessEnv;
  readonly #say: (text: string) => void;
  #stopped = false;

  private constructor(ports: readonly number[], env: NodeJS.ProcessEnv, say: (text: string) => void) {
    this.#nodes = ports.map((port, at) => new Node(`node ${at + 1}`, port));
    this.#env = env;
    this.#say = say;
  }

  /** Starts nodes, all on free ports. */
  static async start(count: number, env: NodeJS.ProcessEnv, say: (text: string) => void): Promise<Nodes> {
    const ports: number[] = [];
    while (ports.length < count) ports.push(await freePort());
    const nodes = new Nodes(ports, env, say);
    await Promise.all(nodes.#nodes.map((node) => nodes.#start(node)));
    return nodes;
  }

  get urls(): string[] {
    return this.#nodes.map(({ port }) => `http://127.0.0.1:${port}/mcp`);
  }

  /** Kills a node at once, as a crash does. */
  kill(at: number): void {
    this.#nodes[at % this.#nodes.length]?.process?.kill("SIGKILL");
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#nodes.map((node) => node.stop()));
  }

  async #start(node: Node): Promise<void> {
    await node.start(this.#env);
    const child = node.process as ChildProcess;
    this.#say(`${node.name} is ready: pid ${child.pid}, port ${node.port}`);
    child.once("exit", (code, signal) => {
      if (this.#stopped) return;
      this.#say(`${node.name} has ended (${signal ?? `exit code ${code}`}); starting it again`);
      this.#start(node).catch((error: Error) => {
        if (!this.#stopped) this.#say(error.message);
      });
    });
  }
}
