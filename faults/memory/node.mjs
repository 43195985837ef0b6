import { defineServer } from "proffer";
import { connect } from "proffer/testing";
import { createTool } from "../tool.mjs";
import { traceCluster } from "../traced-cluster.mjs";
import { Life } from "./life.mjs";

const TASKS = "io.modelcontextprotocol/tasks";
const capabilities = { elicitation: { form: {} }, extensions: { [TASKS]: {} } };

/** A node of a server in the memory of this process. */
export class MemoryNode {
  life;
  #client;

  static async start({ cluster, queue, random, ledger }, plan) {
    const node = new MemoryNode();
    const life = new Life(random, { ...plan, onCrash: () => queue.release(life) });
    // A crashed process has no effects.
    const note = (...event) => life.dead || ledger.note(...event);
    const ports = { store: cluster.store, bus: cluster.bus, queue: queue.of(life) };
    const server = defineServer({
      name: "faults",
      version: "1.0.0",
      keys: [new Uint8Array(32).fill(7)],
      cluster: traceCluster(
        ports,
        (...run) => note("run", ...run),
        (_name, _args, call) => life.perform(call),
      ),
      tools: [createTool(note, () => life.pause(random.below(5)))],
      limits: { tasks: 1_000_000, taskRuns: 1_000 },
      log: () => {},
    });
    node.life = life;
    node.#client = await connect(server, { capabilities });
    return node;
  }

  /** Sends a request; rejects if the node crashes. */
  async request(method, params) {
    const answered = this.#client.requestOnce(method, params).then(
      (result) => ({ result }),
      (error) => ({ error }),
    );
    return Promise.race([answered, this.life.crashed]);
  }

  close() {
    // A node that crashed cannot end in an orderly way.
    return this.life.dead ? undefined : this.#client.close();
  }
}
