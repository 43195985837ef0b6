import type { TaskEngine } from "../features/tasks/engine.ts";
import type { ServerState } from "./server.ts";

/**
 * The tasks of a server. Its first tool with `task` begins to load the engine, which is created with the first use: the
 * environment may still choose what the nodes share.
 */
export class Tasks {
  readonly #server: ServerState;
  readonly #loading = import("../features/tasks/engine.ts");
  #engine: Promise<TaskEngine> | undefined;

  constructor(server: ServerState) {
    this.#server = server;
    // Reported by the first use.
    this.#loading.catch(() => {});
  }

  get engine(): Promise<TaskEngine> {
    this.#engine ??= this.#loading.then(({ TaskEngine }) => TaskEngine.create(this.#server));
    return this.#engine;
  }

  /** The engine, if it was used. */
  get used(): Promise<TaskEngine> | undefined {
    return this.#engine;
  }
}
