import type { Meta, ResourceDescription } from "../protocol/model.ts";
import type { Context } from "../questions/context.ts";
import { atEndOfTurn, contain } from "../support/async.ts";
import { checkScopes } from "../support/scope.ts";
import { UsageError } from "../support/usage-error.ts";
import { type Resource, withoutQuery } from "./define.ts";
import { type ResourceGroupOptions, toRules } from "./rules.ts";

/** A resource as returned by a list function. */
export interface ListEntry extends Omit<ResourceDescription, "name"> {
  /** Default: the uri. */
  readonly name?: string;
  /** Sort key: a number, or a string compared by code units. Default: the uri. */
  readonly key?: string | number;
}

/** Where the next page of a list starts. */
export interface ListRequest {
  /** The key (or the uri) of the last entry the client received. Ignoring it is correct, but slow. */
  readonly after: string | number | undefined;
  /** The `nextCursor` that this list function returned with the previous page. */
  readonly cursor: string | undefined;
  /** The number of entries that fit on the page. */
  readonly limit: number;
}

/** One page of a list with its own cursors. Cursors are encrypted before they are sent to the client. */
export interface ListPage {
  readonly items: readonly ListEntry[];
  readonly nextCursor?: string | undefined;
  readonly _meta?: Meta;
}

export type ListEntries = Iterable<ListEntry> | AsyncIterable<ListEntry>;

/**
 * Lists the resources of a template. Returns either entries in ascending order, which are read only until the page is
 * full, or one page with the cursor of the next.
 */
export type ListFunction = (
  request: ListRequest,
  ctx: Context,
) => ListEntries | ListPage | Promise<ListEntries | ListPage>;

/** After this many entries, other requests and timers run: a list that never waits would block them. */
const ENTRIES_PER_TURN = 10_000;

/** Passes the entries to `add` until it returns false. An aborted signal stops the iteration. */
export async function forEachEntry(
  given: ListEntries,
  ctx: Pick<Context, "signal">,
  add: (entry: ListEntry) => boolean,
): Promise<void> {
  let left = ENTRIES_PER_TURN;
  const addOne = (entry: ListEntry): boolean | Promise<boolean> => {
    if (!add(entry)) return false;
    if (--left > 0) return true;
    left = ENTRIES_PER_TURN;
    return new Promise((resolve) => atEndOfTurn(() => resolve(!ctx.signal.aborted)));
  };
  if (!(Symbol.asyncIterator in given)) {
    for (const entry of given) {
      // Awaiting each of a thousand synchronous entries takes longer than creating them.
      const more = addOne(entry instanceof Promise ? await entry : entry);
      if (!(more instanceof Promise ? await more : more)) break;
    }
    return;
  }
  const { signal } = ctx;
  const iterator = given[Symbol.asyncIterator]();
  // The loop calls return() only once next() settles, which may be never.
  const stop = () =>
    contain(
      () => iterator.return?.(),
      () => undefined,
    );
  signal.addEventListener("abort", stop, { once: true });
  try {
    for await (const entry of { [Symbol.asyncIterator]: () => iterator }) {
      const more = addOne(entry);
      if (!(more instanceof Promise ? await more : more)) break;
    }
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/**
 * Applies shared rules to resources: how their URIs are parsed, in which order they are checked, and which code and
 * message each rejection has. Omitted options keep the defaults of resources without a group.
 *
 * @example
 * const orders = defineResourceGroup(
 *   {
 *     uri: "orders://",
 *     duplicates: "last",
 *     messages: { missing: ({ uri }) => `resource not found: ${uri}` },
 *   },
 *   [defineResource({ uri: "orders://{id}", name: "Order", read: ({ id }) => loadOrder(id) })],
 * );
 * defineServer({ name: "orders", version: "1.0.0", resources: [orders] });
 */
export function defineResourceGroup(
  options: ResourceGroupOptions,
  resources: readonly (Resource | readonly Resource[])[],
): readonly Resource[] {
  const rules = toRules(options);
  const scopes = checkScopes(options.scopes ?? [], "The scopes of a resource group");
  return (resources.flat() as Resource[]).map((resource) => {
    if (resource.uri.startsWith(rules.prefix)) {
      return {
        ...resource,
        rules,
        scopes: scopes.length === 0 ? resource.scopes : [...new Set([...scopes, ...(resource.scopes ?? [])])],
        description: rules.hideQuery ? withoutQueryInTemplate(resource) : resource.description,
      };
    }
    throw new UsageError(`Resource ${resource.uri} must start with ${rules.prefix}, the uri of its group.`);
  });
}

function withoutQueryInTemplate({ uri, template, description }: Resource): Resource["description"] {
  return template === undefined ? description : { ...description, uriTemplate: withoutQuery(uri) };
}
