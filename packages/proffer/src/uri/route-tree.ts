import { type Affixes, createAffixes, obtain, visit } from "./affixes.ts";
import type { Hole, Sequence } from "./sequence.ts";

/**
 * A tree over the segments of paths. It only proposes routes, the most literal from the left first; whether one matches
 * is for its plan to say.
 */
export interface RouteTree<Route> {
  readonly literals: Map<string, RouteTree<Route>>;
  /** Segments with variables, by the literal text around these. */
  readonly open: Affixes<RouteTree<Route>>;
  /** Routes whose next variable may span segments, by the literal text before it and that at the end of the path. */
  readonly spanning: Affixes<Route[]>;
  /** Routes whose path ends here. */
  readonly routes: Route[];
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
  return { literals: new Map(), open: createAffixes(), spanning: createAffixes(), routes: [] };
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
    if (spansSegments(hole)) {
      addRoute(obtain<Route[]>(node.spanning, segment.prefix, suffix, Array), route);
      return;
    }
    segment.open = true;
    segment.suffix = "";
    addLiteral(hole.after);
  }
  addLiteral(suffix);
  addRoute(obtainChild(node, segment).routes, route);
}

const SLASH = 47;

function spansSegments(hole: Hole): boolean {
  return hole.lead === "/" || hole.stops[SLASH] === 0;
}

function obtainChild<Route>(node: RouteTree<Route>, segment: Segment): RouteTree<Route> {
  if (segment.open) return obtain(node.open, segment.prefix, segment.suffix, createRouteTree<Route>);
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

/** Proposes the routes of a path until one is accepted. */
export function searchRoutes<Route, Result>(
  node: RouteTree<Route>,
  search: Search<Route, Result>,
  start: number,
): Result | undefined {
  const slash = search.path.indexOf("/", start);
  const end = slash === -1 ? search.path.length : slash;
  const child = node.literals.size === 0 ? undefined : node.literals.get(search.path.slice(start, end));
  return (
    (child && descend(child, search, end)) ??
    visit(node.open, search, start, end, descend<Route, Result>) ??
    visit(node.spanning, search, start, search.path.length, propose<Route, Result>)
  );
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
