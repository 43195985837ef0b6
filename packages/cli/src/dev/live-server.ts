import type { Context, Middleware, Prompt, Resource, Server, Tool } from "proffer";
import { type BackgroundServer, createFacade, runInBackground, type Substitutes } from "proffer/derived";
import { CommandError } from "../terminal/command-error.ts";
import { Text } from "../terminal/text.ts";

/** The differences between two versions of a server that clients can see: names of tools and prompts, URIs of resources. */
export interface Difference {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** A server that can be replaced by its next version, with every option, while clients are connected. */
export type LiveServer = ReturnType<typeof createLiveServer>;

const KINDS = ["tools", "prompts", "resources"] as const;

/**
 * Creates a live server that begins with the first version. `onStop` of a version runs when it was replaced and its calls
 * have ended, or when the live server stops.
 * @param observe - runs around each request.
 */
export function createLiveServer(first: Server, observe?: Middleware) {
  const calls = new PinnedCalls();
  const running = new Map<Server, BackgroundServer>();
  const start = (version: Server) => {
    const known = running.get(version) ?? runInBackground(version);
    running.set(version, known);
    return known;
  };
  const stop = async (version: Server) => {
    await running.get(version)?.stop();
    running.delete(version);
  };
  const run = (version: Server) => {
    start(version);
    calls.add(version, () => void stop(version));
  };
  const onStop = async () => {
    await Promise.all([...running.keys()].map(stop));
  };
  const facade = createFacade(first, { substitutes: calls, onStop, observe });
  let current = first;
  run(first);
  facade.present(first, []);
  return {
    server: facade.server,
    /** Prepares the toolsets of a version and runs its `onStart`, before it is served. @throws {CommandError} if it fails. */
    async start(version: Server): Promise<void> {
      try {
        await start(version).start();
      } catch (error) {
        await stop(version);
        throw new CommandError(Text.block((error as Error).message), { cause: error });
      }
    },
    /** Serves the next version. Clients are notified only of the lists that look different to them. */
    follow(next: Server): Difference {
      const differences = KINDS.map((kind) => ({ kind, ...compare([...current[kind]], [...next[kind]]) }));
      const isChanged = ({ added, removed, changed }: Difference) => added.length + removed.length + changed.length > 0;
      run(next);
      facade.present(
        next,
        differences.filter(isChanged).map(({ kind }) => kind),
      );
      current = next;
      const all = (part: keyof Difference) => differences.flatMap((difference) => difference[part]);
      return { added: all("added"), removed: all("removed"), changed: all("changed") };
    },
  };
}

type Item = Tool | Prompt | Resource;

function compare(before: readonly Item[], after: readonly Item[]): Difference {
  const known = new Map(before.map((item) => [keyOf(item), item]));
  const keys = new Set(after.map(keyOf));
  const shared = after.flatMap((item) => {
    const earlier = known.get(keyOf(item));
    return earlier === undefined ? [] : [{ earlier, item }];
  });
  return {
    added: [...keys].filter((key) => !known.has(key)),
    removed: [...known.keys()].filter((key) => !keys.has(key)),
    changed: shared.filter(({ earlier, item }) => !isSame(earlier, item)).map(({ item }) => keyOf(item)),
  };
}

function keyOf(item: Item): string {
  return "uri" in item ? item.uri : item.name;
}

/**
 * Whether clients can ignore the replacement of one item by another. A watched resource always counts as changed: its
 * watcher belongs to the earlier version and must be started again.
 */
function isSame(before: Item, after: Item): boolean {
  if (JSON.stringify(before.description) !== JSON.stringify(after.description)) return false;
  if (!("uri" in before && "uri" in after)) return true;
  const isWatched = before.watch !== undefined || after.watch !== undefined;
  return !isWatched && before.rules === after.rules && !before.list === !after.list && !before.exists === !after.exists;
}

/** Name of the step that saves the version of a call with the state of its questions. */
export const VERSION_STEP = "proffer dev: version";
/** Calls that began on an older version are continued on the newest one. */
const KEPT_VERSIONS = 10;

/**
 * Runs each call to its end on the version of the server that it began on. In revisions without sessions a question ends
 * the request, and the answer comes with another one; an edit in between must not change the handler.
 */
class PinnedCalls implements Substitutes {
  readonly #versions = new Map<number, ReturnType<typeof createPinnedVersion>>();
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
    const version = createPinnedVersion(server, () => {
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

/** Creates a version of a server with the calls that begin on it. It stops when it is replaced and its calls have ended. */
function createPinnedVersion(server: Server, stop: () => void) {
  /** The calls that have not ended, with the timers of those that wait for an answer in another request. */
  const calls = new Map<number, NodeJS.Timeout | undefined>();
  let isReplaced = false;

  function stopIfUnused(): void {
    if (isReplaced && calls.size === 0) stop();
  }

  /** A call begins, or continues with an answer. */
  function enter(call: number): void {
    clearTimeout(calls.get(call));
    calls.set(call, undefined);
  }

  function leave(call: number): void {
    clearTimeout(calls.get(call));
    if (calls.delete(call)) stopIfUnused();
  }

  function wait(call: number): void {
    if (!calls.has(call)) return;
    clearTimeout(calls.get(call));
    calls.set(call, setTimeout(() => leave(call), MAX_WAIT).unref());
  }

  return {
    server,
    enter,
    /**
     * Runs a handler of the version. If its signal is aborted before it settles, it may have asked something in a
     * revision where the answer comes with another request: then the call has not ended, and the run never settles.
     */
    async run(call: number, signal: AbortSignal, handler: () => unknown): Promise<unknown> {
      enter(call);
      signal.addEventListener("abort", () => wait(call), { once: true });
      try {
        return await handler();
      } finally {
        leave(call);
      }
    },
    replace(): void {
      isReplaced = true;
      stopIfUnused();
    },
  };
}
