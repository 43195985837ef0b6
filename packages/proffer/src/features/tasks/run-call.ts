import { Call, type CallOrigin } from "../../calls/call.ts";
import { META } from "../../calls/client.ts";
import { type Question, suspended } from "../../calls/question.ts";
import type { Later, RecordFields } from "../../nodes/ports.ts";
import { RpcError } from "../../protocol/errors.ts";
import type { JsonObject } from "../../protocol/messages.ts";
import { Replay, type ReplayLog } from "../../questions/replay.ts";
import { UNSTABLE } from "../../questions/rounds.ts";
import { truncateText } from "../../results/truncate.ts";
import type { ServerState } from "../../server/server.ts";
import type { Tool } from "../../tools/define.ts";
import type { TaskCall, TaskHead } from "./record.ts";
import type { TaskRun } from "./run.ts";

/** The state with which a run begins. */
export interface RunStart {
  readonly id: string;
  readonly fields: RecordFields;
  readonly head: TaskHead;
  readonly source: TaskCall;
  readonly log: ReplayLog;
  readonly tool: Tool;
  /** The metadata of the request, while it is not answered. */
  readonly meta?: JsonObject;
}

/** The result with the members that every result of its revision has; `serverInfo` is that of each response. */
export function completeResult({ server, revision }: Call, result: object): object {
  const { _meta, ...members } = server.envelopes.get(revision, undefined)?.value ?? {};
  return { ...members, ...result };
}

/** The call of a run, as if the client had sent it again. */
export function createCall(server: ServerState, origin: CallOrigin, { head, source, fields, meta }: RunStart): Call {
  const revision = server.revisions.get(source.revision);
  if (revision === undefined) throw new Error(`the revision ${source.revision} is unknown`);
  const _meta = {
    [META.protocolVersion]: source.revision,
    [META.clientCapabilities]: source.capabilities,
    ...(source.client === undefined ? {} : { [META.clientInfo]: source.client }),
    ...meta,
  };
  const params = { name: head.tool, arguments: source.arguments, _meta };
  const call = new Call(server, origin, revision, {
    jsonrpc: "2.0",
    id: Number(fields.epoch),
    method: "tools/call",
    params,
  });
  call.chain = source.chain;
  return call;
}

/** Settles when a handler that runs on has ended, or will never go on; undefined without one. */
export function untilLateEnds(call: Call): Promise<void> | undefined {
  const handler = call.lateHandler?.then(
    () => {},
    () => {},
  );
  return handler && Promise.race([handler, new Promise<void>((resolve) => (call.release = resolve))]);
}

/** Questions in a task. The run ends with a question, and the answer starts another run, on any node. */
export class TaskRounds extends Replay {
  readonly task: TaskRun;

  constructor(call: Call, log: ReplayLog, task: TaskRun) {
    super(call, log);
    this.task = task;
  }

  get round(): number {
    return this.task.round;
  }

  /** Nothing that this run still does counts. */
  abandon(): void {
    this.over = true;
  }

  /** Lets the handler wait for ever: its run is left behind. */
  suspend<Value>(): Promise<Value> {
    return suspended(this.call);
  }

  protected record(operation: string, json: string): Later<string> {
    return this.task.record(operation, json);
  }

  park(asked: ReadonlyMap<string, Question>): Promise<object> {
    return this.task.park(asked);
  }

  /** The client did nothing wrong: the code has changed between two runs, or is not stable. */
  protected mismatch(): Error {
    return new RpcError("internal_error", "The tool no longer asks a question that was already answered.", {
      cause: new Error(UNSTABLE),
    });
  }
}

/** Milliseconds between two writes of the status. */
const INTERVAL = 1000;
/** In characters. */
const MAX_MESSAGE = 1000;

/** Writes the latest message of a run, at most once a second. */
export class ProgressWriter {
  /** The last message that was reported. */
  latest: string | undefined;
  readonly #write: (message: string) => Promise<void>;
  #written = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(write: (message: string) => Promise<void>) {
    this.#write = write;
  }

  report(message: string): void {
    this.latest = truncateText(message, MAX_MESSAGE);
    if (this.#timer !== undefined) return;
    const wait = this.#written + INTERVAL - performance.now();
    if (wait <= 0) {
      this.#flush();
      return;
    }
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#flush();
    }, wait);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #flush(): void {
    this.#written = performance.now();
    // A message that cannot be written is replaced by the next one.
    this.#write(this.latest as string).catch(() => {});
  }
}
