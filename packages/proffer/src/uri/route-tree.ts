import type { PathPattern } from "./pattern.ts";

/**
 * A tree over path segments. It proposes candidate routes, the most literal from the left first; the pattern of a route
 * decides whether it matches.
 */
export interface RouteTree<Route> {
  /** Segments without a variable. */
  readonly literals: Affixes<RouteTree<Route>>;
  /** Segments with a variable, by the literal text before the variable. */
  readonly openings: Affixes<Opening<Route>>;
  /** Routes whose path ends here. */
  readonly routes: Route[];
}

interface Opening<Route> {
  /** Subtrees by the literal text at the end of the segment. */
  readonly segments: Affixes<RouteTree<Route>>;
  /** Routes whose variable may span segments, by the literal text at the end of the path. */
  readonly spanning: Affixes<Route[]>;
}

/** The properties of a route that the tree uses. */
export interface TreeRoute {
  readonly path: PathPattern;
  /** Of two routes at the same node, the one with the higher rank is proposed first. */
  readonly rank: number;
}

/** A search for the route of a URI. */
interface Search<Route, Result> {
  readonly uri: string;
  /** The URI without query and fragment. */
  readonly path: string;
  /** Matches a proposed route; returns undefined if it does not match. */
  readonly accept: (route: Route, uri: string) => Result | undefined;
}

export function createRouteTree<Route extends TreeRoute>(routes: Iterable<Route>): RouteTree<Route> {
  const tree = createNode<Route>();
  for (const route of routes) insertRoute(tree, route);
  return tree;
}

function createNode<Route>(): RouteTree<Route> {
  return { literals: createAffixes(), openings: createAffixes(), routes: [] };
}

function createOpening<Route>(): Opening<Route> {
  return { segments: createAffixes(), spanning: createAffixes() };
}

/** A path segment that is being built. */
interface Segment {
  prefix: string;
  /** Whether the segment has a variable; the literal text after the last one is the suffix. */
  open: boolean;
  suffix: string;
}

export function insertRoute<Route extends TreeRoute>(tree: RouteTree<Route>, route: Route): void {
  const { prefix, slots, suffix } = route.path;
  let node = tree;
  let segment: Segment = { prefix: "", open: false, suffix: "" };

  function addLiteral(text: string): void {
    const [first = "", ...others] = text.split("/");
    if (segment.open) segment.suffix += first;
    else segment.prefix += first;
    for (const other of others) {
      node = getOrCreateChild(node, segment);
      segment = { prefix: other, open: false, suffix: "" };
    }
  }

  addLiteral(prefix);
  for (const slot of slots) {
    if (slot.spansSegments || slot.lead === "/") {
      const opening = getOrCreate(node.openings, segment.prefix, createOpening<Route>);
      addRoute(getOrCreate<Route[]>(opening.spanning, suffix, Array), route);
      return;
    }
    segment.open = true;
    segment.suffix = "";
    addLiteral(slot.after);
  }
  addLiteral(suffix);
  addRoute(getOrCreateChild(node, segment).routes, route);
}

function getOrCreateChild<Route>(node: RouteTree<Route>, segment: Segment): RouteTree<Route> {
  if (!segment.open) return getOrCreate(node.literals, segment.prefix, createNode<Route>);
  const opening = getOrCreate(node.openings, segment.prefix, createOpening<Route>);
  return getOrCreate(opening.segments, segment.suffix, createNode<Route>);
}

function addRoute<Route extends TreeRoute>(routes: Route[], route: Route): void {
  routes.push(route);
  routes.sort((a, b) => b.rank - a.rank);
}

/** Proposes routes for a path whose next segment begins at `start`, until one is accepted. */
export function searchRoutes<Route, Result>(
  node: RouteTree<Route>,
  search: Search<Route, Result>,
  start: number,
): Result | undefined {
  const { path } = search;
  const slash = path.indexOf("/", start);
  const end = slash === -1 ? path.length : slash;
  const { items: literals } = node.literals;
  const child = literals.size === 0 ? undefined : literals.get(path.slice(start, end));
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

/** Visits the items whose suffix ends the path between `start` and `end`, until one returns a result. */
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
 * Items by prefix or suffix, the longest first. A search takes one lookup per distinct length, regardless of the number
 * of items.
 */
interface Affixes<Item> {
  readonly items: Map<string, Item>;
  /** The distinct lengths of the keys, the longest first. */
  lengths: readonly number[];
}

function createAffixes<Item>(): Affixes<Item> {
  return { items: new Map(), lengths: [] };
}

function getOrCreate<Item>(affixes: Affixes<Item>, text: string, create: () => Item): Item {
  const known = affixes.items.get(text);
  if (known !== undefined) return known;
  const item = create();
  affixes.items.set(text, item);
  if (!affixes.lengths.includes(text.length)) {
    affixes.lengths = [...affixes.lengths, text.length].sort((a, b) => b - a);
  }
  return item;
}
