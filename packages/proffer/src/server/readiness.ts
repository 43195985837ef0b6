import { within } from "../calls/timeout.ts";
import type { ServerState } from "./server.ts";

/** The parts of a server that a readiness probe may name. The list is fixed, so that a probe reveals nothing else. */
export const READINESS_NAMES = ["store", "queue", "keys"] as const;

export type ReadinessName = (typeof READINESS_NAMES)[number];

/** Returns true if the part works. Anything else, an exception, or no answer within a second means that it does not. */
export type ReadinessCheck = () => boolean | Promise<boolean>;

/** Milliseconds for one check: Kubernetes waits a second for the answer to a probe by default. */
const CHECK_TIMEOUT = 1000;

/** The checks of a server that must pass before it is ready. */
export class Readiness {
  readonly #server: ServerState;
  readonly #checks = new Map<ReadinessName, ReadinessCheck>();
  #failing: readonly ReadinessName[] = [];
  #running: Promise<readonly ReadinessName[]> | undefined;

  constructor(server: ServerState) {
    this.#server = server;
  }

  add(name: ReadinessName, check: ReadinessCheck): void {
    this.#checks.set(name, check);
  }

  /** The parts that do not work. Probes that arrive together share one run of the checks. */
  failing(): Promise<readonly ReadinessName[]> {
    this.#running ??= this.#run();
    return this.#running;
  }

  async #run(): Promise<readonly ReadinessName[]> {
    const outcomes = await Promise.all([...this.#checks].map(([name, check]) => this.#passes(name, check)));
    const failing = [...this.#checks.keys()].filter((_, index) => !outcomes[index]);
    this.#failing = READINESS_NAMES.filter((name) => failing.includes(name));
    this.#running = undefined;
    return this.#failing;
  }

  async #passes(name: ReadinessName, check: ReadinessCheck): Promise<boolean> {
    let error: unknown;
    try {
      if ((await within(CHECK_TIMEOUT, check(), "a readiness check")) === true) return true;
    } catch (thrown) {
      error = thrown;
    }
    // Once per failure: a probe repeats every few seconds.
    if (!this.#failing.includes(name)) {
      this.#server.log({ level: "error", message: "A readiness check failed", check: name, error });
    }
    return false;
  }
}

/** Adds a check that a server must pass to be ready; a second one of the same name replaces the first. */
export function addReadinessCheck(server: ServerState, name: ReadinessName, check: ReadinessCheck): void {
  server.readiness ??= new Readiness(server);
  server.readiness.add(name, check);
}
