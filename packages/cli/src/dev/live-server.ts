import type { Middleware, Prompt, Resource, Server, Tool } from "proffer";
import { createFrontServer, type HeldServer, holdServer } from "proffer/derived";
import { CommandError } from "../terminal/command-error.ts";
import { Text } from "../terminal/text.ts";
import { PinnedCalls } from "./pinned-calls.ts";

/** The differences between two versions of a server that clients can see: names of tools and prompts, URIs of resources. */
export interface Difference {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** A server that can be replaced by its next version, with every option, while clients are connected. */
export interface LiveServer {
  readonly server: Server;
  /** Prepares the toolsets of a version and runs its `onStart`, before it is served. @throws {CommandError} with the reason if it fails. */
  start(version: Server): Promise<void>;
  /** Serves the next version. Clients are notified only of the lists that look different to them. */
  follow(next: Server): Difference;
}

const KINDS = ["tools", "prompts", "resources"] as const;

/**
 * Creates a live server that begins with the first version. `onStop` of a version runs when it was replaced and its calls
 * have ended, or when the live server stops.
 * @param observe - runs around each request.
 */
export function createLiveServer(first: Server, observe?: Middleware): LiveServer {
  const calls = new PinnedCalls();
  const held = new Map<Server, HeldServer>();
  const hold = (version: Server) => {
    const known = held.get(version) ?? holdServer(version);
    held.set(version, known);
    return known;
  };
  const stop = async (version: Server) => {
    await held.get(version)?.stop();
    held.delete(version);
  };
  const run = (version: Server) => {
    hold(version);
    calls.add(version, () => void stop(version));
  };
  const onStop = async () => {
    await Promise.all([...held.keys()].map(stop));
  };
  const front = createFrontServer(first, { substitutes: calls, onStop, observe });
  let current = first;
  run(first);
  front.present(first, []);
  return {
    server: front.server,
    async start(version) {
      try {
        await hold(version).start();
      } catch (error) {
        await stop(version);
        throw new CommandError(Text.block((error as Error).message), { cause: error });
      }
    },
    follow(next) {
      const differences = KINDS.map((kind) => ({ kind, ...compare([...current[kind]], [...next[kind]]) }));
      const isChanged = ({ added, removed, changed }: Difference) => added.length + removed.length + changed.length > 0;
      run(next);
      front.present(
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
