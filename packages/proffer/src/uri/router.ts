import { checkOptions } from "./check-options.ts";
import { MAX_URI_LENGTH, matchPlan } from "./match.ts";
import { literalPlan, type Plan, toPlan } from "./plan.ts";
import { createReading, type Match, type MatchOptions, toMatch } from "./reading.ts";
import { toRank, toShape } from "./route-rank.ts";
import {
  createRouteTree,
  insertRoute,
  type RouteTree,
  type Search,
  searchRoutes,
  type TreeRoute,
} from "./route-tree.ts";
import { dropEmptySegments, pathEnd } from "./segments.ts";
import { parseTemplate, type Template } from "./template.ts";
import { quote, TemplateError } from "./template-error.ts";

/** The route that matches a URI. */
export interface RouteMatch<Value> {
  readonly value: Value;
  /** Undefined if an exact URI was added. */
  readonly template: Template | undefined;
  readonly match: Match;
}

/** Finds values by exact URI or by template. */
export interface Router<Value> {
  /**
   * Adds a URI, or a template if the text has a brace. @throws {TemplateError} for a malformed or ambiguous template,
   * and if an existing route matches the same URIs.
   */
  add(uri: string | Template, value: Value, options?: MatchOptions): void;
  /** Removes a route by its text. Returns whether it existed. */
  remove(uri: string | Template): boolean;
  /**
   * Finds the route of a URI: exact URIs first, then the template that is the most literal from the left. Routes with
   * values that `allows` rejects do not exist.
   */
  match(uri: string, allows?: (value: Value) => boolean): RouteMatch<Value> | undefined;
}

interface Route<Value> extends TreeRoute {
  readonly text: string;
  readonly shape: string;
  readonly value: Value;
  readonly template: Template | undefined;
  readonly plan: Plan;
  readonly options: MatchOptions;
}

/** Routes with the same handling of empty segments. */
interface Group<Value> {
  readonly exact: Map<string, Route<Value>>;
  readonly templates: Set<Route<Value>>;
  /** Built on demand, and rebuilt after a removal. */
  tree: RouteTree<Route<Value>> | undefined;
}

export interface RouterOptions {
  /** The maximum length of a URI; a longer URI matches nothing. Default: 16,384. */
  readonly maxUriLength?: number;
}

/**
 * Creates a router. The cost of a match does not depend on the number of templates; `linear.test.ts` counts steps.
 *
 * @example
 * const router = createRouter<string>();
 * router.add("orders://{id}", "order");
 * router.add("orders://latest", "latest order");
 * router.match("orders://latest")?.value; // "latest order"
 * router.match("orders://7")?.match.values; // { id: "7" }
 */
export function createRouter<Value>({ maxUriLength = MAX_URI_LENGTH }: RouterOptions = {}): Router<Value> {
  const byText = new Map<string, Route<Value>>();
  const byShape = new Map<string, Route<Value>>();
  const keeping = createGroup<Value>();
  const dropping = createGroup<Value>();

  function groupOf(route: Route<Value>): Group<Value> {
    return route.options.emptySegments === "drop" ? dropping : keeping;
  }

  return {
    add(uri, value, options = {}) {
      const route = toRoute(uri, value, options);
      const existing = byShape.get(route.shape) ?? byText.get(route.text);
      if (existing !== undefined) {
        throw new TemplateError(route.text, 0, `${quote(existing.text)} matches the same URIs. Remove one of the two.`);
      }
      byText.set(route.text, route);
      byShape.set(route.shape, route);
      const group = groupOf(route);
      if (route.template === undefined) {
        group.exact.set(route.shape, route);
        return;
      }
      group.templates.add(route);
      if (group.tree !== undefined) insertRoute(group.tree, route);
    },

    remove(uri) {
      const route = byText.get(typeof uri === "string" ? uri : uri.text);
      if (route === undefined) return false;
      byText.delete(route.text);
      byShape.delete(route.shape);
      const group = groupOf(route);
      group.exact.delete(route.shape);
      if (group.templates.delete(route)) group.tree = undefined;
      return true;
    },

    match(uri, allows) {
      if (uri.length > maxUriLength) return undefined;
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
    },
  };
}

function createGroup<Value>(): Group<Value> {
  return { exact: new Map(), templates: new Set(), tree: undefined };
}

function toRoute<Value>(uri: string | Template, value: Value, options: MatchOptions): Route<Value> {
  if (typeof uri === "string" && !uri.includes("{") && !uri.includes("}")) {
    const exact = options.emptySegments === "drop" ? dropEmptySegments(uri) : uri;
    const plan = literalPlan(exact);
    return { text: uri, shape: exact, value, template: undefined, plan, path: plan.path, rank: 0, options };
  }
  const template = typeof uri === "string" ? parseTemplate(uri) : uri;
  const plan = toPlan(template.text, template.parts);
  checkOptions(template.text, template.variables, plan, options);
  const { text } = template;
  return { text, shape: toShape(plan), value, template, plan, path: plan.path, rank: toRank(plan), options };
}

/** Finds an exact URI, with any query: the caller decides whether to accept the query. */
function matchExact<Value>(group: Group<Value>, uri: string, allows?: Allows<Value>): RouteMatch<Value> | undefined {
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

type Allows<Value> = (value: Value) => boolean;

function matchTemplates<Value>(
  group: Group<Value>,
  uri: string,
  allows?: Allows<Value>,
): RouteMatch<Value> | undefined {
  if (group.templates.size === 0) return undefined;
  group.tree ??= toTree(group.templates);
  const search: Search<Route<Value>, RouteMatch<Value>> = {
    uri,
    path: uri.slice(0, pathEnd(uri)),
    accept: allows === undefined ? accept : (route, text) => (allows(route.value) ? accept(route, text) : undefined),
  };
  return searchRoutes(group.tree, search, 0);
}

function toTree<Value>(routes: Iterable<Route<Value>>): RouteTree<Route<Value>> {
  const tree = createRouteTree<Route<Value>>();
  for (const route of routes) insertRoute(tree, route);
  return tree;
}

function accept<Value>(route: Route<Value>, uri: string): RouteMatch<Value> | undefined {
  const match = matchPlan(route.plan, uri, route.options);
  return match && { value: route.value, template: route.template, match };
}
