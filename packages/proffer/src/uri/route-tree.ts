import type { Sequence } from "./sequence.ts";

/**
 * A tree over the segments of paths. It only proposes routes, the most literal from the left first; whether one matches
 * is for its plan to say.
 */
export interface RouteTree<Route> {
  readonly literals: Map<string, RouteTree<Route>>;
  /** What follows a segment with a variable, by the literal text before the variable. */
  readonly openings: Affixes<Opening<Route>>;
  /** Routes whose path ends here. */
  readonly routes: Route[];
}

interface Opening<Route> {
  /** By the literal text that the segment ends with. */
  readonly segments: Affixes<RouteTree<Route>>;
  /** Routes whose variable may span segments, by the literal text that the path ends with. */
  readonly spanning: Affixes<Route[]>;
}

/** What the tree must know of a route. */
export interface Routed {
  readonly path: Sequence;
  /** Of two routes at one place in the tree, the higher is proposed first. */
  readonly rank: number;
}

/** What is being looked for. */
export interface Search<Route, Result> {
  readonly uri: string;
  /** The URI up to its query. */
  readonly path: string;
  /** What a route that is proposed makes of the URI, if it matches. */
  readonly accept: (route: Route, uri: string) => Result | undefined;
}

export function createRouteTree<Route>(): RouteTree<Route> {
  return { literals: new Map(), openings: createAffixes(), routes: [] };
}

function createOpening<Route>(): Opening<Route> {
  return { segments: createAffixes(), spanning: createAffixes() };
}

/** A segment of a path while it is being read. */
interface Segment {
  prefix: string;
  /** Whether it has a variable; what follows the last one is the suffix. */
  open: boolean;
  suffix: string;
}

export function insertRoute<Route extends Routed>(tree: RouteTree<Route>, route: Route): void {
  const { prefix, holes, suffix } = route.path;
  let node = tree;
  let segment: Segment = { prefix: "", open: false, suffix: "" };

  function addLiteral(text: string): void {
    const [first = "", ...others] = text.split("/");
    if (segment.open) segment.suffix += first;
    else segment.prefix += first;
    for (const other of others) {
      node = obtainChild(node, segment);
      segment = { prefix: other, open: false, suffix: "" };
    }
  }

  addLiteral(prefix);
  for (const hole of holes) {
    if (hole.wide || hole.lead === "/") {
      const opening = obtain(node.openings, segment.prefix, createOpening<Route>);
      addRoute(obtain<Route[]>(opening.spanning, suffix, Array), route);
      return;
    }
    segment.open = true;
    segment.suffix = "";
    addLiteral(hole.after);
  }
  addLiteral(suffix);
  addRoute(obtainChild(node, segment).routes, route);
}

function obtainChild<Route>(node: RouteTree<Route>, segment: Segment): RouteTree<Route> {
  if (segment.open) {
    const opening = obtain(node.openings, segment.prefix, createOpening<Route>);
    return obtain(opening.segments, segment.suffix, createRouteTree<Route>);
  }
  const known = node.literals.get(segment.prefix);
  if (known !== undefined) return known;
  const child = createRouteTree<Route>();
  node.literals.set(segment.prefix, child);
  return child;
}

function addRoute<Route extends Routed>(routes: Route[], route: Route): void {
  routes.push(route);
  routes.sort((a, b) => b.rank - a.rank);
}

/** Proposes routes for a path, whose next segment begins at `start`, until one is accepted. */
export function searchRoutes<Route, Result>(
  node: RouteTree<Route>,
  search: Search<Route, Result>,
  start: number,
): Result | undefined {
  const { path } = search;
  const slash = path.indexOf("/", start);
  const end = slash === -1 ? path.length : slash;
  const child = node.literals.size === 0 ? undefined : node.literals.get(path.slice(start, end));
  const result = child && descend(child, search, end);
  if (result !== undefined) return result;
  for (const length of node.openings.lengths) {
    const opening = length > end - start ? undefined : node.openings.items.get(path.slice(start, start + length));
    if (opening === undefined) continue;
    const found =
      visit(opening.segments, search, start + length, end, descend<Route, Result>) ??
      visit(opening.spanning, search, start + length, path.length, propose<Route, Result>);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Visits what stands under the ends of a stretch of the path, until there is a result. */
function visit<Route, Result, Item>(
  suffixes: Affixes<Item>,
  search: Search<Route, Result>,
  start: number,
  end: number,
  visitor: (item: Item, search: Search<Route, Result>, end: number) => Result | undefined,
): Result | undefined {
  for (const length of suffixes.lengths) {
    const item = length > end - start ? undefined : suffixes.items.get(search.path.slice(end - length, end));
    const result = item === undefined ? undefined : visitor(item, search, end);
    if (result !== undefined) return result;
  }
  return undefined;
}

function descend<Route, Result>(
  node: RouteTree<Route>,
  search: Search<Route, Result>,
  end: number,
): Result | undefined {
  return end === search.path.length ? propose(node.routes, search) : searchRoutes(node, search, end + 1);
}

function propose<Route, Result>(routes: readonly Route[], search: Search<Route, Result>): Result | undefined {
  for (const route of routes) {
    const result = search.accept(route, search.uri);
    if (result !== undefined) return result;
  }
  return undefined;
}

/**
 * Items by a text that something begins or ends with, the longest first. A search costs one step for each length that
 * occurs, however many texts there are.
 */
interface Affixes<Item> {
  readonly items: Map<string, Item>;
  /** The lengths of the texts, the longest first. */
  lengths: readonly number[];
}

function createAffixes<Item>(): Affixes<Item> {
  return { items: new Map(), lengths: [] };
}

/** The item under a text, created if there is none. */
function obtain<Item>(affixes: Affixes<Item>, text: string, create: () => Item): Item {
  const known = affixes.items.get(text);
  if (known !== undefined) return known;
  const item = create();
  affixes.items.set(text, item);
  if (!affixes.lengths.includes(text.length)) {
    affixes.lengths = [...affixes.lengths, text.length].sort((a, b) => b - a);
  }
  return item;
}
