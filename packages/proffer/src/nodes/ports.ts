import type { Store } from "../calls/store.ts";
import { RpcError } from "../protocol/errors.ts";

/** A value now, or a promise of it. Memory answers at once, so that a server on its own creates no promises. */
export type Later<Value> = Value | Promise<Value>;

/** The fields of a record. Names and values are well-formed Unicode: half of a surrogate pair does not survive. */
export interface RecordFields {
  readonly [name: string]: string;
}

/** A change of one record: all of it is made, or nothing. First `add`, then removals, then `set` and the others. */
export interface RecordChange {
  /** The fields that must have these values; undefined: must not exist. */
  readonly if?: { readonly [name: string]: string | undefined };
  readonly set?: RecordFields;
  /** Fields that are set unless they exist. */
  readonly setOnce?: RecordFields;
  /** Whole numbers to add to fields; a missing field counts as 0. A field that is not a whole number is an error. */
  readonly add?: { readonly [name: string]: number };
  /** Fields to set to the time of the store, in milliseconds since 1970. It never goes back. */
  readonly stamp?: readonly string[];
  readonly remove?: readonly string[];
  /** Removes the fields whose names start with this text. */
  readonly removePrefix?: string;
  /** Milliseconds from now until the record is removed. Without it, the time does not change. */
  readonly expire?: number;
  /**
   * The fields that the outcome has; without it, all. A record may have a journal of a megabyte, which a change that does
   * not need it should not transfer.
   */
  readonly returning?: readonly string[];
  /** The change must survive the loss of a server of the store, if the store is configured to promise that. */
  readonly durable?: boolean;
}

/** The outcome of a change. */
export interface RecordChanged {
  readonly made: boolean;
  /** The fields of the record afterwards; empty if there is none. */
  readonly fields: RecordFields;
}

/** An entry of a log. The writer chooses the places, in order: 1, 2, 3, … It may leave some out. */
export interface StoredEntry {
  readonly place: number;
  readonly text: string;
}

/** How much of a log is kept; the oldest entries go first. Bytes are those of the texts in UTF-8. */
export interface LogLimits {
  readonly entries: number;
  readonly bytes: number;
  /** After the last entry. */
  readonly milliseconds: number;
}

/**
 * The state that all nodes share. After an unknown outcome, such as a lost reply, each method may be called again with
 * the same arguments: the second call has no further effect. The exceptions count twice: `count` and `add`, whose numbers
 * must not need to be exact. A `claim` that is repeated is refused: nobody knows whether the first one was answered.
 */
export interface SharedStore extends Required<Store> {
  /** Milliseconds in which every call settles. A request about a task has this time for all its calls together. */
  readonly timeLimit?: number | undefined;
  /** Fields of a record, or undefined if there is no such record. Without names: all fields. */
  read(key: string, names?: readonly string[]): Later<RecordFields | undefined>;
  change(key: string, change: RecordChange): Later<RecordChanged>;
  remove(key: string): Later<void>;
  /** Adds entries to the end of a log. An entry whose place is not after the last one is left out: it is there. */
  append(log: string, entries: readonly StoredEntry[], limits: LogLimits): Later<void>;
  /**
   * The entries of a log after a place; undefined if some of them are gone, or the log is. Entries before the first one of
   * a log that begins at a later place are gone: the log expired, and its writer continued.
   */
  since(log: string, place: number): Later<readonly StoredEntry[] | undefined>;
  /** Rejects if the store cannot be reached. Without it, the store is always there. */
  ping?(): Later<void>;
  /** Warnings about the configuration of the store, for the operator's log. */
  advice?(): Later<readonly string[]>;
}

/** Receives the messages of a topic. */
export interface BusListener {
  heard(message: string): void;
  /**
   * Called after any gap, in which messages may have been lost: read the truth again. The time between `subscribe` and the
   * moment from which messages arrive is such a gap, unless they arrive at once. Must not throw, as `heard`.
   */
  missed(): void;
}

/** Hints between nodes: fast, in order per sender, and lost if nobody listens. Never the only way to learn anything. */
export interface Bus {
  /** Sends a message to the listeners of a topic on every node, this one included. */
  publish(topic: string, message: string): Later<void>;
  /** Listens until the returned function is called. */
  subscribe(topic: string, listener: BusListener): () => void;
}

/** Does the work that a job names. If it rejects, the job is delivered again, later. */
export type QueueWork = (job: string, signal: AbortSignal) => Promise<void>;

export interface QueueWorkOptions {
  /** The number of jobs that this node works on at once. */
  readonly concurrency: number;
  /** Takes only the jobs that were pushed for this server. */
  readonly server?: string;
}

/** The work of one node. */
export interface QueueWorker {
  /**
   * Takes no more jobs, aborts the signals of those that still run after the grace time in milliseconds, and resolves
   * when all have ended. A job that rejects then is delivered to another node at once.
   */
  stop(grace: number): Promise<void>;
}

/**
 * Wakes up nodes: durable once `push` has resolved, delivered at least once, in any order. A job is a name of letters,
 * digits, "-", "_" and "."; one that waits or is worked on is not added again. Only workers of the same server get it.
 */
export interface Queue {
  push(job: string, server?: string): Later<void>;
  work(work: QueueWork, options: QueueWorkOptions): QueueWorker;
  /** The number of jobs of a server that wait for a node; rejects if the queue cannot be reached. */
  waiting?(server?: string): Later<number>;
}

/** The ports that the nodes of one server share. */
export interface Cluster {
  readonly store: SharedStore;
  readonly bus: Bus;
  /** Needed for tools with `task`. */
  readonly queue?: Queue;
}

/**
 * The state that nodes share cannot be reached or changed now. Clients receive the error `busy`, over HTTP with status
 * 503: it is no fault of the request, and the same request may succeed later.
 */
export class StoreUnavailable extends RpcError {
  override readonly name = "StoreUnavailable";
  /**
   * Why a store or queue refused or failed:
   * - `timeout`: no reply in time; the command may still be executed
   * - `disconnected`: there is no connection, or it was lost before the reply
   * - `suspended`: the last calls failed, so this one was not tried
   * - `overloaded`: too many calls wait for replies
   * - `readonly`, `loading`, `full`, `cluster`, `busy`, `access`: the server refuses the command in its present state
   * - `replicas`: no replica confirmed the change in time, which this server has made
   */
  readonly reason:
    | "timeout"
    | "disconnected"
    | "suspended"
    | "overloaded"
    | "readonly"
    | "loading"
    | "full"
    | "cluster"
    | "busy"
    | "access"
    | "replicas";

  /** The client receives a text without the reason, which would describe the operator's machines. `cause` is logged. */
  constructor(reason: StoreUnavailable["reason"], cause?: unknown) {
    super("busy", "A service that this server needs is not available. Try again later.", { cause });
    this.reason = reason;
  }
}
