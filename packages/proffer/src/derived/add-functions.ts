import type { Prompt } from "../prompts/define.ts";
import type { Resource } from "../resources/define.ts";
import { type Collection, type Server, type ServerState, stateOf } from "../server/server.ts";
import { whenReady } from "../support/async.ts";
import { UsageError } from "../support/usage-error.ts";
import type { Tool } from "../tools/define.ts";
import { type DerivedItems, defineItems } from "./derived-server.ts";
import { type Loaded, loadCalls, type Module } from "./load.ts";
import type { Manifest } from "./manifest.ts";

/** Options for `addFunctions`. */
export interface AddOptions {
  /** Identifies the module, however often it is imported. */
  readonly source: string;
}

interface Added {
  readonly module: Module;
  readonly items: DerivedItems;
}

/** The functions that each server has, by source. */
const added = new WeakMap<ServerState, Map<string, Added>>();

/**
 * Adds the functions of a module to the server that the module exports, and returns it. Functions of the same source
 * that were added before are replaced, for example if the module is evaluated again and its server is not. The module's
 * comment is the instructions of a server that has none.
 * @throws {UsageError} if the server already has an item with the name or URI of a function. Then nothing is added.
 */
export function addFunctions(server: Server, module: Module, manifest: Manifest, { source }: AddOptions): Server {
  const state = stateOf(server);
  const sources = added.get(state) ?? new Map<string, Added>();
  const earlier = sources.get(source);
  if (earlier?.module === module) return server;
  let loaded: Loaded | undefined;
  const load = () =>
    loaded ??
    whenReady(loadCalls(), (calls) => {
      loaded = { module, calls };
      return loaded;
    });
  const items = defineItems(manifest, load);
  if (earlier !== undefined)
    removeItems(
      state,
      KINDS.flatMap((kind): readonly Item[] => earlier.items[kind]),
    );
  addItems(state, manifest, items);
  added.set(state, sources.set(source, { module, items }));
  state.instructions ??= manifest.server.instructions;
  state.forgetPages();
  return server;
}

type Item = Tool | Prompt | Resource;

const KINDS = ["tools", "prompts", "resources"] as const;

/** Adds all items, or none and throws an error that names every problem with its place. */
function addItems(state: ServerState, manifest: Manifest, items: DerivedItems): void {
  const problems: string[] = [];
  const kept: Item[] = [];
  for (const kind of KINDS) {
    const collection = state[kind] as Collection<Item>;
    for (const [index, item] of items[kind].entries()) {
      try {
        collection.add(item);
        kept.push(item);
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        const place = placeOf(manifest, manifest[kind][index]?.binding.path ?? []);
        const isTaken = error.code === "duplicate" && collection.get(keyOf(item)) !== undefined;
        problems.push(
          isTaken
            ? `Duplicate ${item.kind} "${keyOf(item)}": ${place} and \`${kind}\` of the server "${state.info.name}". Rename one of them.`
            : `${error.message} It comes from ${place}.`,
        );
      }
    }
  }
  if (problems.length === 0) return;
  removeItems(state, kept);
  throw new UsageError(problems.join("\n"), "duplicate");
}

function placeOf({ places = {} }: Manifest, path: readonly string[]): string {
  const name = path.join(".");
  const place = Object.hasOwn(places, name) ? ` (${places[name]})` : "";
  return `the function ${name}${place}`;
}

function removeItems(state: ServerState, items: readonly Item[]): void {
  for (const item of items) state[`${item.kind}s`].remove(keyOf(item));
}

function keyOf(item: Item): string {
  return "uri" in item ? item.uri : item.name;
}
