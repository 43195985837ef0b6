import { pause } from "../../client/link.ts";
import { FieldSealer } from "../../nodes/field-sealer.ts";
import type { Cluster } from "../../nodes/ports.ts";
import { RpcError } from "../../protocol/errors.ts";
import type { JsonObject } from "../../protocol/messages.ts";
import type { ServerState } from "../../server/server.ts";
import { coalesce } from "../../support/async.ts";
import { messageOf } from "../../support/log.ts";
import { type Followed, parkedOf, Questions } from "./parked.ts";

/** Another node may still be writing its record when the client's next request is here. */
const ATTEMPTS = 5;
const PAUSE = 100;

/**
 * The record of a parked call that nodes share: a field for each question, each answer, and the end. The node that holds the
 * call writes questions and the end, the one that has the caller writes answers. Messages on the bus only say: look.
 */
class CallRecord {
  readonly #cluster: Cluster;
  readonly #key: string;
  readonly #milliseconds: number;
  readonly #sealer: FieldSealer;

  constructor(server: ServerState, cluster: Cluster, chain: string) {
    this.#cluster = cluster;
    this.#key = `parked ${chain}`;
    this.#milliseconds = server.limits.questionTimeout;
    this.#sealer = new FieldSealer("state", server);
  }

  async write(field: string, value: unknown): Promise<void> {
    const sealed = await this.#sealer.seal(this.#key, field, JSON.stringify(value));
    await this.#cluster.store.change(this.#key, {
      setOnce: { [field]: sealed },
      expire: this.#milliseconds,
      returning: [],
    });
    await this.#cluster.bus.publish(this.#key, "");
  }

  /** Undefined if there is no such call. */
  async read(): Promise<((field: string) => Promise<JsonObject | undefined>) | undefined> {
    const fields = await this.#cluster.store.read(this.#key);
    if (fields === undefined) return undefined;
    return (field) => this.#sealer.openJson<JsonObject>(this.#key, field, fields);
  }

  /** Calls a function whenever the record may have changed. */
  watch(look: () => void): () => void {
    return this.#cluster.bus.subscribe(this.#key, { heard: look, missed: look });
  }
}

/** Lets the other nodes go on with a parked call of this one. */
export function share(server: ServerState, cluster: Cluster, chain: string, open: Followed): void {
  const record = new CallRecord(server, cluster, chain);
  const failed = (error: unknown) =>
    server.log({ level: "error", message: "A parked call cannot be shared with other nodes", error });
  const written = new Set<number>();
  const writeQuestions = () => {
    for (const [at, { method, params }] of open.questions.all.entries()) {
      if (written.has(at)) continue;
      written.add(at);
      record.write(`question ${at}`, { method, params }).catch(failed);
    }
  };
  let isElsewhere = false;
  const look = coalesce(async () => {
    const field = await record.read();
    for (const [at, asked] of open.questions.all.entries()) {
      const answer = await field?.(`answer ${at}`);
      if (answer === undefined) continue;
      isElsewhere = true;
      asked.resolve(answer);
    }
    if ((await field?.("cancelled")) !== undefined) open.cancel(new Error("The caller cancelled the call."));
  });
  const stop = record.watch(() => void look().catch(failed));
  open.questions.onAdded = writeQuestions;
  writeQuestions();
  open.outcome
    .then(
      (result) => record.write("end", { result }),
      (error) => record.write("end", { message: messageOf(error) }),
    )
    .catch(failed)
    .finally(() => {
      stop();
      if (isElsewhere) parkedOf(server).forget(chain);
    });
}

/** A parked call that another node holds. */
export class SharedCall implements Followed {
  readonly questions = new Questions();
  readonly outcome: Promise<JsonObject>;
  readonly #record: CallRecord;

  /** Undefined if no node has it. */
  static async find(server: ServerState, chain: string): Promise<SharedCall | undefined> {
    const { cluster } = server;
    if (cluster === undefined) return undefined;
    const record = new CallRecord(server, cluster, chain);
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const field = await record.read();
      if ((await field?.("question 0")) !== undefined) return new SharedCall(record);
      await pause(PAUSE);
    }
    return undefined;
  }

  private constructor(record: CallRecord) {
    this.#record = record;
    this.outcome = new Promise((resolve, reject) => {
      const look = coalesce(async () => {
        const field = await record.read();
        const end = await field?.("end");
        if (end?.result !== undefined) return resolve(end.result as JsonObject);
        if (end !== undefined || field === undefined) return reject(lost(end?.message));
        for (let at = this.questions.all.length; ; at = this.questions.all.length) {
          const question = await field(`question ${at}`);
          if (question === undefined) return;
          const answered = this.questions.add(question as never);
          answered.then((answer) => record.write(`answer ${at}`, answer)).catch(reject);
        }
      });
      const stop = record.watch(() => void look().catch(reject));
      void look().catch(reject);
      const end = () => stop();
      void Promise.resolve().then(() => this.outcome.then(end, end));
    });
    this.outcome.catch(() => undefined);
  }

  /** Progress and log messages stay on the node that holds the call. */
  attach(): void {}

  cancel(): void {
    void this.#record.write("cancelled", {}).catch(() => undefined);
  }
}

function lost(message: unknown): RpcError {
  const text = typeof message === "string" ? message : "The call that asked is not open any more";
  return new RpcError("internal_error", `${text}. Send it again without the answers.`);
}
