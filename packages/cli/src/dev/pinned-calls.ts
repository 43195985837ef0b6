import type { Context, Server } from "proffer";
import type { Substitutes } from "proffer/derived";

/** Name of the step that saves the version of a call with the state of its questions. */
export const VERSION_STEP = "proffer dev: version";
/** Calls that began on an older version are continued on the newest one. */
const KEPT_VERSIONS = 10;

/**
 * Runs each call to its end on the version of the server that it began on. In revisions without sessions a question ends
 * the request, and the answer comes with another one; an edit in between must not change the handler.
 */
export class PinnedCalls implements Substitutes {
  readonly #versions = new Map<number, PinnedVersion>();
  #newest = 0;
  #calls = 0;

  /**
   * Runs calls that begin from now on with the handlers of `server`. `stop` is called when a later version has replaced
   * it and its calls have ended.
   */
  add(server: Server, stop: () => void = () => {}): void {
    const replaced = this.#versions.get(this.#newest);
    this.#newest += 1;
    const number = this.#newest;
    const version = new PinnedVersion(server, () => {
      // An answer that comes later is handled by the newest version.
      this.#versions.delete(number);
      stop();
    });
    this.#versions.set(number, version);
    this.#versions.delete(number - KEPT_VERSIONS);
    replaced?.replace();
  }

  readonly tool: Substitutes["tool"] = (tool) => ({
    ...tool,
    handle: (input, ctx) =>
      this.#run(ctx, (server) => (server?.tools.get(tool.name) ?? tool).handle(input, ctx)) as never,
  });

  readonly prompt: Substitutes["prompt"] = (prompt) => ({
    ...prompt,
    get: (values, ctx) =>
      this.#run(ctx, (server) => (server?.prompts.get(prompt.name) ?? prompt).get(values, ctx)) as never,
  });

  readonly resource: Substitutes["resource"] = (resource) => {
    // Fixed contents run no code. Their serialized results are cached under the original object.
    if (resource.content !== undefined) return resource;
    return {
      ...resource,
      read: (params, ctx) =>
        this.#run(ctx, (server) => (server?.resources.get(resource.uri) ?? resource).read(params, ctx)) as never,
    };
  };

  async #run(ctx: Context, handler: (server: Server | undefined) => unknown): Promise<unknown> {
    const { version, call } = await ctx.step(VERSION_STEP, () => this.#pin());
    const pinned = this.#versions.get(version);
    return pinned === undefined ? handler(undefined) : pinned.run(call, ctx.signal, () => handler(pinned.server));
  }

  #pin(): { version: number; call: number } {
    this.#calls += 1;
    // Now, not when the handler runs: an edit in between must not stop the version.
    this.#versions.get(this.#newest)?.enter(this.#calls);
    return { version: this.#newest, call: this.#calls };
  }
}

/** Milliseconds that a question may wait for its answer before its version is stopped. */
const MAX_WAIT = 10 * 60 * 1000;

/** One version of a server with the calls that began on it. It stops when it is replaced and its calls have ended. */
class PinnedVersion {
  readonly server: Server;
  readonly #stop: () => void;
  /** The calls that have not ended, with the timers of those that wait for an answer in another request. */
  readonly #calls = new Map<number, NodeJS.Timeout | undefined>();
  #isReplaced = false;

  constructor(server: Server, stop: () => void) {
    this.server = server;
    this.#stop = stop;
  }

  /** A call begins, or continues with an answer. */
  enter(call: number): void {
    clearTimeout(this.#calls.get(call));
    this.#calls.set(call, undefined);
  }

  /**
   * Runs a handler of the version. If its signal is aborted before it settles, it may have asked something in a revision
   * where the answer comes with another request: then the call has not ended, and the run never settles.
   */
  async run(call: number, signal: AbortSignal, handler: () => unknown): Promise<unknown> {
    this.enter(call);
    signal.addEventListener("abort", () => this.#wait(call), { once: true });
    try {
      return await handler();
    } finally {
      this.#leave(call);
    }
  }

  replace(): void {
    this.#isReplaced = true;
    this.#stopIfUnused();
  }

  #wait(call: number): void {
    if (!this.#calls.has(call)) return;
    clearTimeout(this.#calls.get(call));
    this.#calls.set(call, setTimeout(() => this.#leave(call), MAX_WAIT).unref());
  }

  #leave(call: number): void {
    clearTimeout(this.#calls.get(call));
    if (this.#calls.delete(call)) this.#stopIfUnused();
  }

  #stopIfUnused(): void {
    if (this.#isReplaced && this.#calls.size === 0) this.#stop();
  }
}
