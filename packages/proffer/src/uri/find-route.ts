import { matchPlan } from "./match.ts";
import type { ParsedTemplate } from "./parsed-template.ts";
import { createReading, type Match, toMatch } from "./reading.ts";
import { createRouteTree, insertRoute, type RouteTree, type Search, searchRoutes } from "./route-tree.ts";
import type { Route, RouteGroup, Routes } from "./routes.ts";
import { dropEmptySegments, pathEnd } from "./segments.ts";

/** The route that matches a URI. */
export interface FoundRoute<Value, Parsed extends ParsedTemplate = ParsedTemplate> {
  readonly value: Value;
  /** Undefined if an exact URI was added. */
  readonly template: Parsed | undefined;
  readonly match: Match;
}

type Allows<Value> = (value: Value) => boolean;

/**
 * Finds the route of a URI: exact URIs first, then the template that is the most literal from the left. Routes with
 * values that `allows` rejects do not exist. The cost does not depend on the number of templates; `linear.test.ts`
 * counts steps.
 */
export function findRoute<Value, Parsed extends ParsedTemplate>(
  { keeping, dropping }: Routes<Value, Parsed>,
  uri: string,
  allows?: Allows<Value>,
): FoundRoute<Value, Parsed> | undefined {
  if (dropping.exact.size + dropping.templates.size === 0) {
    return matchExact(keeping, uri, allows) ?? matchTemplates(keeping, uri, allows);
  }
  const reduced = dropEmptySegments(uri);
  return (
    matchExact(keeping, uri, allows) ??
    matchExact(dropping, reduced, allows) ??
    matchTemplates(keeping, uri, allows) ??
    matchTemplates(dropping, reduced, allows)
  );
}

/** Finds an exact URI, with any query: the caller decides whether to accept the query. */
function matchExact<Value, Parsed extends ParsedTemplate>(
  group: RouteGroup<Value, Parsed>,
  uri: string,
  allows?: Allows<Value>,
): FoundRoute<Value, Parsed> | undefined {
  if (group.exact.size === 0) return undefined;
  const exact = group.exact.get(uri);
  if (exact !== undefined) {
    if (allows?.(exact.value) === false) return undefined;
    return { value: exact.value, template: undefined, match: toMatch(createReading(exact.options)) };
  }
  const questionMark = uri.indexOf("?");
  const route = questionMark === -1 ? undefined : group.exact.get(uri.slice(0, questionMark));
  return route === undefined || allows?.(route.value) === false ? undefined : accept(route, uri);
}

function matchTemplates<Value, Parsed extends ParsedTemplate>(
  group: RouteGroup<Value, Parsed>,
  uri: string,
  allows?: Allows<Value>,
): FoundRoute<Value, Parsed> | undefined {
  if (group.templates.size === 0) return undefined;
  const search: Search<Route<Value, Parsed>, FoundRoute<Value, Parsed>> = {
    uri,
    path: uri.slice(0, pathEnd(uri)),
    accept: allows === undefined ? accept : (route, text) => (allows(route.value) ? accept(route, text) : undefined),
  };
  return searchRoutes(treeOf(group), search, 0);
}

function treeOf<Value, Parsed extends ParsedTemplate>(
  group: RouteGroup<Value, Parsed>,
): RouteTree<Route<Value, Parsed>> {
  const tree = group.tree ?? createRouteTree<Route<Value, Parsed>>();
  group.tree = tree;
  if (group.waiting.length > 0) {
    for (const route of group.waiting) insertRoute(tree, route);
    group.waiting = [];
  }
  return tree;
}

function accept<Value, Parsed extends ParsedTemplate>(
  route: Route<Value, Parsed>,
  uri: string,
): FoundRoute<Value, Parsed> | undefined {
  const match = matchPlan(route.plan, uri, route.options);
  return match && { value: route.value, template: route.template, match };
}
