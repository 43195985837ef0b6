import type { Later, RecordChange, RecordChanged, RecordFields } from "../../nodes/ports.ts";
import { RpcError } from "../../protocol/errors.ts";
import { whenReady } from "../../support/async.ts";
import type { TaskEngine } from "./engine.ts";
import { JOURNAL, keyOf } from "./record.ts";
import type { TaskRun } from "./run.ts";

/** The fields that decide whether the writes of a run count. */
const STATE: readonly string[] = ["status", "wakeup", "epoch", "lease", "last", "late"];

/**
 * Writes the record of a task for one run. Each delivery of the queue moves the epoch; a run with an older one was
 * overtaken, because the queue took its node for dead. It may be alive: a handler that blocks the event loop lets its lock
 * expire, and would lose it on one node after the other, until `limits.taskRuns` fails the task. So the first run that has
 * something to write wins, as long as nothing was written since it was overtaken. A failover to a replica that misses the
 * last deliveries may give two runs one epoch: their leases distinguish them.
 */
export class RunWriter {
  readonly #engine: TaskEngine;
  readonly #id: string;
  readonly #run: TaskRun;
  readonly #wakeup: string;
  readonly #ttl: number;
  #epoch: string;
  #lease: string;
  /** The last step of the record, as this run knows it; and those that it has sent since. */
  #last: string | undefined;
  readonly #sent = new Set<string>();
  #steps = 0;

  constructor(engine: TaskEngine, run: TaskRun, fields: RecordFields) {
    this.#engine = engine;
    this.#id = run.id;
    this.#run = run;
    this.#wakeup = fields.wakeup as string;
    this.#ttl = Number(fields.ttl);
    this.#epoch = fields.epoch as string;
    this.#lease = fields.lease as string;
    this.#last = fields.last;
  }

  /**
   * Takes the epoch of a newer delivery to the same node, if the run has missed nothing: it continues, and does not begin
   * again. Returns whether it does.
   */
  renew(fields: RecordFields): boolean {
    if (this.#run.isOver || !this.#isUpToDate(fields)) return false;
    this.#epoch = fields.epoch as string;
    this.#lease = fields.lease as string;
    return true;
  }

  /** Leaves the run behind if its next write would be refused: a message about that may have been lost. */
  async check(): Promise<void> {
    const fields = await this.#engine.store.read(keyOf(this.#id), STATE);
    const counts = fields?.epoch === this.#epoch && fields.lease === this.#lease;
    if (counts || (fields !== undefined && this.#isUpToDate(fields))) return;
    this.#run.abandon("Another run of the task has taken over, or it was cancelled.");
  }

  /** The run continues on another node, which is no failure of the task. */
  async handOver(): Promise<void> {
    await this.#engine.store.change(keyOf(this.#id), {
      if: { epoch: this.#epoch, lease: this.#lease },
      set: { idle: "0" },
      returning: [],
    });
  }

  /** Records an answer or a step. Returns the value in the record: an overtaken run may have been faster. */
  entry(operation: string, json: string): Later<string> {
    const field = JOURNAL + operation;
    const last = `${this.#lease}.${++this.#steps}`;
    return whenReady(this.#engine.sealer.seal(this.#id, field, json), (sealed) => {
      this.#sent.add(last);
      return whenReady(this.write({ setOnce: { [field]: sealed }, set: { idle: "0", last } }), ({ epoch, late }) => {
        this.#last = last;
        this.#sent.delete(last);
        this.#engine.counters.steps++;
        return late === epoch ? this.#recorded(field, sealed, json) : json;
      });
    });
  }

  /** Changes the record if the writes of this run count. Otherwise it is left behind, and the result never comes. */
  write(change: RecordChange): Later<RecordFields> {
    const [epoch, lease] = [this.#epoch, this.#lease];
    const isStep = change.setOnce !== undefined;
    // Questions and ends are written once: if the reply is lost, a client may have seen them, and answered, which moves
    // `wakeup`. A step that is written again changes nothing.
    const state = isStep ? {} : { status: "working", wakeup: this.#wakeup };
    return this.#send({ ...change, if: { epoch, lease, ...state } }, ({ made, fields }) => {
      // Nobody else writes questions or the end in this epoch, and both remove the lease: the record has the change already.
      const isWritten = !isStep && fields.epoch === epoch && (fields.lease ?? lease) === lease;
      return made || isWritten ? fields : this.#writeLate(change, epoch, fields);
    });
  }

  /** Writes for a run that was overtaken: a step, questions or the end, if nothing was written since. */
  #writeLate(change: RecordChange, epoch: string, fields: RecordFields): Later<RecordFields> {
    if (this.#run.isOver) return this.#run.rounds.suspend();
    // A newer delivery continued this run.
    if (epoch !== this.#epoch) return this.write(change);
    if (!this.#isUpToDate(fields)) {
      this.#engine.counters.refused++;
      this.#run.abandon("Another run of the task has taken over.");
      return this.#run.rounds.suspend();
    }
    const { setOnce, set = {} } = change;
    // Messages and signs of life are those of the newest run.
    if (setOnce === undefined && set.status === undefined) return fields;
    // The newest run has the lock of the queue, so it continues with the step. It is not needed after questions and ends.
    const late = setOnce === undefined ? { add: { epoch: 1 } } : { set: { ...set, late: fields.epoch as string } };
    const { status, wakeup, lease, last } = fields;
    const same = { status, wakeup, epoch: fields.epoch, lease, last };
    return this.#send({ ...change, ...late, if: same, returning: [...STATE, ...Object.keys(set)] }, (changed) => {
      if (setOnce === undefined) {
        // After a lost reply, the record has our own sealed texts.
        const isOurs = Object.entries(set).every(([name, value]) => changed.fields[name] === value);
        if (changed.made || isOurs) return changed.fields;
      }
      if (!changed.made) return this.#writeLate(change, epoch, changed.fields);
      this.#engine.counters.steps++;
      this.#run.abandon("Another run of the task continues after its step.");
      return this.#run.rounds.suspend();
    });
  }

  /** Whether no other run has written anything: the last step is one of this run, or that with which it began. */
  #isUpToDate({ status, wakeup, last }: RecordFields): boolean {
    const isKnown = last === this.#last || (last !== undefined && this.#sent.has(last));
    return status === "working" && wakeup === this.#wakeup && isKnown;
  }

  /** The step as the record has it, in which an overtaken run wrote a step meanwhile. */
  async #recorded(field: string, sealed: string, json: string): Promise<string> {
    const { store, sealer } = this.#engine;
    const read = () => store.read(keyOf(this.#id), [field]);
    let fields: RecordFields | undefined;
    try {
      fields = await persist(read, () => this.#run.isOver);
    } catch (error) {
      return this.#unreachable(error);
    }
    if (fields === undefined || fields[field] === sealed) return json;
    const recorded = await sealer.open(this.#id, field, fields);
    if (recorded !== undefined) return recorded;
    throw new RpcError("internal_error", "A step of the task cannot be read: its key was removed, or it was changed.");
  }

  #send<Value>(change: RecordChange, check: (changed: RecordChanged) => Later<Value>): Later<Value> {
    const whole = { returning: STATE, ...change, expire: this.#ttl };
    const written = persist(
      () => this.#engine.store.change(keyOf(this.#id), whole),
      () => this.#run.isOver,
    );
    return written instanceof Promise ? written.then(check, (error) => this.#unreachable(error)) : check(written);
  }

  /** Never a value that was not recorded: the queue wakes the task up again. */
  #unreachable(error: unknown): Promise<never> {
    this.#run.abandon("The store is out of reach.", error);
    return this.#run.rounds.suspend();
  }
}

/** Milliseconds for which a write of a run is tried again while the store is out of reach. */
const RETRY_TIME = 30_000;

/** Repeats a write that failed, until it succeeds, its run was left behind, or the time is up. @throws its error */
export function persist<Value>(
  write: () => Later<Value>,
  isOver: () => boolean,
  mayRepeat: (error: unknown) => boolean = () => true,
): Later<Value> {
  const end = Date.now() + RETRY_TIME;
  const again = async (error: unknown): Promise<Value> => {
    let latest = error;
    for (
      let pause = 100;
      Date.now() + pause < end && !isOver() && mayRepeat(latest);
      pause = Math.min(pause * 2, 2000)
    ) {
      await new Promise((resolve) => setTimeout(resolve, pause));
      try {
        return await write();
      } catch (next) {
        latest = next;
      }
    }
    throw latest;
  };
  try {
    const written = write();
    return written instanceof Promise ? written.catch(again) : written;
  } catch (error) {
    return again(error);
  }
}
