import type { Call } from "../calls/call.ts";
import { callerOf } from "../calls/caller.ts";
import type { Client, Principal, Session } from "../calls/client.ts";
import { InsufficientScope } from "../protocol/errors.ts";
import { isLoud, type LogLevel, logMessage, type Meta, type Progress } from "../protocol/model.ts";
import { convert } from "../protocol/revisions/revision.ts";
import type { SchemaLike } from "../schema/schema.ts";
import { forClients } from "../support/log.ts";
import { defined } from "../support/objects.ts";
import { checkScopes, covers } from "../support/scope.ts";
import { UsageError } from "../support/usage-error.ts";
import {
  type Answer,
  type AskOptions,
  ask,
  askUrl,
  type FormContent,
  type Root,
  roots,
  type Sampled,
  type SampleOptions,
  sample,
  type UrlAnswer,
} from "./ask.ts";
import type { Fields } from "./fields.ts";
import { questionsOf } from "./rounds.ts";

/** The second argument of every handler: the caller, cancellation, progress, logging and questions. */
export interface Context {
  /** Aborts when the client cancels or disconnects, or at the time limit. Pass it to calls that accept a signal. */
  readonly signal: AbortSignal;
  /** The caller, if the transport has an `authenticate` hook. */
  readonly principal: Principal | undefined;
  readonly client: Client;
  /**
   * The `_meta` of the request as the client sent it, frozen; empty if there is none. If the handler runs again after a
   * question, it is that of the newest request.
   */
  readonly meta: Meta;
  /** The URI that is read or subscribed to, as the client wrote it; undefined in tools and prompts. */
  readonly uri: string | undefined;
  /** State that lives as long as the connection; undefined if the client's revision has no sessions. */
  readonly session: Session | undefined;
  /** Reports progress to the client; `done` must increase. Does nothing if the client did not ask for progress. */
  progress(done: number, total?: number, message?: string): void;
  /**
   * Closes the client's HTTP connection while the handler continues, so that no proxy times out; the client reconnects
   * to receive the result. Does nothing if the client or the transport does not support that.
   */
  detach(): void;
  /**
   * Refuses the call unless the caller has these scopes, for needs that depend on data. Over HTTP the client gets the
   * challenge to ask for them, unless progress or a log message was sent before. @throws {RpcError}
   */
  require(...scopes: string[]): void;
  /**
   * Sends a log message to the client, if it asked for that level. Never log secrets. After the end of the call nothing
   * is sent: use `server.sendLog`.
   */
  log(level: LogLevel, data: unknown, logger?: string): void;
  /**
   * Asks the user to fill in a form, on every revision. In revisions where the server cannot send requests, the handler
   * runs again from the start once the user has answered, and earlier questions return their answers at once: see
   * docs/questions.md.
   */
  ask<const Schema extends SchemaLike | Fields>(
    message: string,
    schema: Schema,
    options?: AskOptions<FormContent<Schema>>,
  ): Promise<Answer<FormContent<Schema>>>;
  /** The same, with the schema derived from the type argument. Works only in modules that Proffer derives. */
  ask<Content extends object>(
    message: string,
    schema?: undefined,
    options?: AskOptions<Content>,
  ): Promise<Answer<Content>>;
  /** Asks the user to open a page, for data that must not pass through the client. */
  askUrl(message: string, url: string | URL, options?: AskOptions<never>): Promise<UrlAnswer>;
  /**
   * Runs `work` once, however often the handler runs again. Its result must be JSON. Only a step that was running when its
   * process died runs again: `key` is the same then, for APIs that recognize a repetition by it, such as payments.
   */
  step<Value>(name: string, work: (key: string) => Value | Promise<Value>): Promise<Value>;
  /** The id of the task that this is a run of; undefined in an ordinary call. */
  readonly taskId: string | undefined;
  /**
   * Continues as a task, if the client supports tasks: its request is answered, and the handler runs again from the start,
   * where earlier questions and steps return at once. Otherwise it does nothing. For tools with `task`.
   */
  background(): Promise<void>;
  /**
   * Asks the client's model for a completion.
   * @deprecated The protocol deprecates sampling. Call a model yourself.
   */
  sample(options: SampleOptions, key?: string): Promise<Sampled>;
  /**
   * Asks which folders the user works in.
   * @deprecated The protocol deprecates roots. Accept paths as arguments.
   */
  roots(key?: string): Promise<readonly Root[]>;
}

/** Progress notifications are limited to a burst and then to a rate; the ones in between are skipped. */
const PROGRESS_BURST = 100;
const PROGRESS_PER_SECOND = 50;

export class CallContext implements Context {
  readonly uri: string | undefined;
  readonly #call: Call;
  #progress = Number.NEGATIVE_INFINITY;
  #skipped: Progress | undefined;
  #allowance = PROGRESS_BURST;
  #refilledAt = 0;

  constructor(call: Call, uri?: string) {
    this.#call = call;
    this.uri = uri;
  }

  /** The caller for shares, if Proffer created the context. */
  static callerOf(context: object): string | undefined {
    return #call in context ? callerOf(context.#call.origin) : undefined;
  }

  get signal(): AbortSignal {
    return this.#call.signal;
  }

  get principal(): Principal | undefined {
    return this.#call.origin.principal;
  }

  get client(): Client {
    return this.#call.client;
  }

  get meta(): Meta {
    return Object.freeze(this.#call.meta);
  }

  get session(): Session | undefined {
    return this.#call.revision.handshake ? this.#call.origin.session : undefined;
  }

  get taskId(): string | undefined {
    return this.#call.questions?.task?.taskId;
  }

  async background(): Promise<void> {
    const [feature] = this.#call.server.features.with("background");
    if (feature !== undefined && (await feature.background(this.#call))) return;
    throw new UsageError("ctx.background() works only in a tool with the option task.", "wrong_use");
  }

  progress(done: number, total?: number, message?: string): void {
    this.#call.questions?.task?.progress(done, total, message);
    const { progressToken } = this.#call.meta;
    if (typeof progressToken !== "string" && typeof progressToken !== "number") return;
    if (this.#call.done || !Number.isFinite(done) || done <= this.#progress) return;
    this.#progress = done;
    this.#skipped = defined({ progressToken, progress: done, total, message });
    if (this.#mayReport()) this.flush();
  }

  /** Sends the latest skipped progress, so that the last one before the response is never lost. */
  flush(): void {
    if (this.#skipped === undefined) return;
    this.#call.notify("notifications/progress", convert(this.#call.revision, "progress", this.#skipped));
    this.#skipped = undefined;
  }

  require(...scopes: string[]): void {
    const needed = checkScopes(scopes, "ctx.require()");
    if (!covers(this.#call.origin, needed)) throw new InsufficientScope(this.#call.method, needed);
  }

  detach(): void {
    this.#call.origin.detach?.(this.#call);
  }

  log(level: LogLevel, data: unknown, logger?: string): void {
    if (this.#call.done) reportLateLog(this.#call);
    this.#call.questions?.task?.log(level, data, logger);
    const wanted = this.#call.logLevel;
    if (wanted === undefined || !isLoud(level, wanted)) return;
    this.#call.notify("notifications/message", logMessage(level, forClients(data), logger));
  }

  ask(message: string, schema?: SchemaLike | Fields, options?: AskOptions<unknown>): Promise<Answer<never>> {
    return ask(this.#call, message, schema, options) as Promise<Answer<never>>;
  }

  askUrl(message: string, url: string | URL, options?: AskOptions<never>): Promise<UrlAnswer> {
    return askUrl(this.#call, message, url, options);
  }

  step<Value>(name: string, work: (key: string) => Value | Promise<Value>): Promise<Value> {
    return questionsOf(this.#call).step(name, work) as Promise<Value>;
  }

  sample(options: SampleOptions, key?: string): Promise<Sampled> {
    return sample(this.#call, options, key);
  }

  roots(key?: string): Promise<readonly Root[]> {
    return roots(this.#call, key);
  }

  #mayReport(): boolean {
    if (this.#allowance < PROGRESS_BURST) {
      const now = performance.now();
      const refill = ((now - this.#refilledAt) * PROGRESS_PER_SECOND) / 1000;
      if (refill >= 1) {
        this.#allowance = Math.min(PROGRESS_BURST, this.#allowance + Math.floor(refill));
        this.#refilledAt = now;
      }
    } else {
      this.#refilledAt = performance.now();
    }
    if (this.#allowance < 1) return false;
    this.#allowance--;
    return true;
  }
}

/** Calls whose handler was reported. */
const reported = new WeakSet<Call>();

/**
 * Reports during development, once per call, that its handler sends log messages after the end: the author would look
 * for them in vain. A run that a question left behind is not a mistake: the handler runs again with the answer.
 */
function reportLateLog(call: Call): void {
  if (!call.server.overrides.development || !call.completed || reported.has(call)) return;
  reported.add(call);
  const { name, uri } = call.params;
  const message =
    "ctx.log was called after the call had ended: nothing was sent. Await the work before you return, or use server.sendLog.";
  call.server.log({ level: "warning", message, method: call.method, name: name ?? uri });
}
