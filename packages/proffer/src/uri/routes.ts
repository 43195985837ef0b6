import { checkOptions, emptyMatch, type Match, type MatchOptions, matchPattern } from "./match.ts";
import { EXPANSIONS, MAX_URI_LENGTH, quote, TemplateError } from "./parse.ts";
import { literalPattern, type PathPattern, type Pattern, type Slot } from "./pattern.ts";
import { createRouteTree, insertRoute, type RouteTree, searchRoutes, type TreeRoute } from "./route-tree.ts";
import { parseTemplate, type Template } from "./template.ts";
import { dropEmptySegments, pathEnd } from "./uri-text.ts";

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

export interface RouterOptions {
  /** The maximum length of a URI; a longer URI matches nothing. Default: 16,384. */
  readonly maxUriLength?: number;
}

/**
 * Creates a router.
 *
 * @example
 * const router = createRouter<string>();
 * router.add("orders://{id}", "order");
 * router.add("orders://latest", "latest order");
 * router.match("orders://latest")?.value; // "latest order"
 * router.match("orders://7")?.match.values; // { id: "7" }
 */
export function createRouter<Value>({ maxUriLength = MAX_URI_LENGTH }: RouterOptions = {}): Router<Value> {
  const routes = new Routes<Value>();
  return {
    add: (uri, value, options) => routes.add(typeof uri === "string" ? toTemplate(uri) : uri, value, options),
    remove: (uri) => routes.remove(typeof uri === "string" ? uri : uri.text),
    match: (uri, allows) => (uri.length > maxUriLength ? undefined : routes.find(uri, allows)),
  };
}

function toTemplate(uri: string): string | Template {
  return uri.includes("{") || uri.includes("}") ? parseTemplate(uri) : uri;
}

/** An exact URI or a template with its value. */
interface Route<Value> extends TreeRoute {
  readonly text: string;
  readonly shape: string;
  readonly value: Value;
  /** Undefined for an exact URI. */
  readonly template: Template | undefined;
  readonly pattern: Pattern;
  readonly options: MatchOptions;
}

/** Routes with the same handling of empty segments. */
interface RouteGroup<Value> {
  readonly exact: Map<string, Route<Value>>;
  readonly templates: Set<Route<Value>>;
  /** Built with the first search, and again after a removal. */
  tree: RouteTree<Route<Value>> | undefined;
}

type Allows<Value> = (value: Value) => boolean;

/** Exact URIs and templates, without limits. A server has one; `createRouter` is the one for authors. */
export class Routes<Value> {
  readonly #keeping = createGroup<Value>();
  /** The routes for URIs without their empty segments. */
  readonly #dropping = createGroup<Value>();
  readonly #byText = new Map<string, Route<Value>>();
  readonly #byShape = new Map<string, Route<Value>>();

  /** Adds a template, or an exact URI. @throws {TemplateError} if it is ambiguous, or a route matches the same URIs. */
  add(uri: string | Template, value: Value, options: MatchOptions = {}): void {
    const route = toRoute(uri, value, options);
    const existing = this.#byShape.get(route.shape) ?? this.#byText.get(route.text);
    if (existing !== undefined) {
      throw new TemplateError(route.text, 0, `${quote(existing.text)} matches the same URIs. Remove one of the two.`);
    }
    this.#byText.set(route.text, route);
    this.#byShape.set(route.shape, route);
    const group = this.#groupOf(route);
    if (route.template === undefined) {
      group.exact.set(route.shape, route);
      return;
    }
    group.templates.add(route);
    if (group.tree !== undefined) insertRoute(group.tree, route);
  }

  /** Removes a route by its text. Returns whether it existed. */
  remove(text: string): boolean {
    const route = this.#byText.get(text);
    if (route === undefined) return false;
    this.#byText.delete(route.text);
    this.#byShape.delete(route.shape);
    const group = this.#groupOf(route);
    group.exact.delete(route.shape);
    if (group.templates.delete(route)) group.tree = undefined;
    return true;
  }

  /**
   * Finds the route of a URI: exact URIs first, then the template that is the most literal from the left. Routes with
   * values that `allows` rejects do not exist. The cost does not depend on the number of templates; `linear.test.ts`
   * counts steps.
   */
  find(uri: string, allows?: Allows<Value>): RouteMatch<Value> | undefined {
    const keeping = this.#keeping;
    const dropping = this.#dropping;
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

  #groupOf(route: Route<Value>): RouteGroup<Value> {
    return route.options.emptySegments === "drop" ? this.#dropping : this.#keeping;
  }
}

function createGroup<Value>(): RouteGroup<Value> {
  return { exact: new Map(), templates: new Set(), tree: undefined };
}

/** Finds an exact URI, with any query: the caller decides whether to accept the query. */
function matchExact<Value>(
  group: RouteGroup<Value>,
  uri: string,
  allows?: Allows<Value>,
): RouteMatch<Value> | undefined {
  if (group.exact.size === 0) return undefined;
  const exact = group.exact.get(uri);
  if (exact !== undefined) {
    if (allows?.(exact.value) === false) return undefined;
    return { value: exact.value, template: undefined, match: emptyMatch() };
  }
  const questionMark = uri.indexOf("?");
  const route = questionMark === -1 ? undefined : group.exact.get(uri.slice(0, questionMark));
  return route === undefined || allows?.(route.value) === false ? undefined : accept(route, uri);
}

function matchTemplates<Value>(
  group: RouteGroup<Value>,
  uri: string,
  allows?: Allows<Value>,
): RouteMatch<Value> | undefined {
  if (group.templates.size === 0) return undefined;
  group.tree ??= createRouteTree(group.templates);
  return searchRoutes(
    group.tree,
    {
      uri,
      path: uri.slice(0, pathEnd(uri)),
      accept: allows === undefined ? accept : (route, text) => (allows(route.value) ? accept(route, text) : undefined),
    },
    0,
  );
}

function accept<Value>(route: Route<Value>, uri: string): RouteMatch<Value> | undefined {
  const match = matchPattern(route.pattern, uri, route.options);
  return match && { value: route.value, template: route.template, match };
}

function toRoute<Value>(uri: string | Template, value: Value, options: MatchOptions): Route<Value> {
  if (typeof uri === "string") {
    const exact = options.emptySegments === "drop" ? dropEmptySegments(uri) : uri;
    const pattern = literalPattern(exact);
    return { text: uri, shape: exact, value, template: undefined, pattern, path: pattern.path, rank: 0, options };
  }
  const { text, variables, pattern } = uri;
  if (pattern instanceof TemplateError) throw pattern;
  checkOptions(text, variables, pattern, options);
  return {
    text,
    shape: toShape(pattern),
    value,
    template: uri,
    pattern,
    path: pattern.path,
    rank: toRank(pattern),
    options,
  };
}

/**
 * Returns a text that is equal for patterns that match the same URIs, regardless of the names of their variables. Optional
 * query keys do not count: `a://{b}` and `a://{c}{?d}` have the same shape.
 */
function toShape(pattern: Pattern): string {
  const pairs = pattern.query.list
    .filter((pair) => pair.required)
    .map((pair) => `${pair.key}=${pair.variable ? "{}" : pair.fixed}`);
  const query = pairs.length === 0 ? "" : `?${pairs.sort().join("&")}`;
  if (pattern.fragment === undefined) return pathShape(pattern.path) + query;
  return `${pathShape(pattern.path)}${query}${pattern.fragmentOptional ? "" : "#"}${pathShape(pattern.fragment)}`;
}

function pathShape(path: PathPattern): string {
  return path.prefix + path.slots.map((slot) => slotShape(slot) + slot.after).join("") + path.suffix;
}

function slotShape({ variable }: Slot): string {
  if (EXPANSIONS[variable.operator].named) return `{${variable.operator}}`;
  const modifier = variable.explode ? "*" : variable.prefix === undefined ? "" : `:${variable.prefix}`;
  return `{${variable.operator}${modifier}}`;
}

/** Returns how specific a pattern is: literal text and limits raise the rank, variables that span segments lower it. */
function toRank(pattern: Pattern): number {
  const { prefix, slots, suffix } = pattern.path;
  let rank = prefix.length + suffix.length + pattern.query.required;
  for (const { after, variable, spansSegments } of slots) {
    rank += after.length;
    if (variable.prefix !== undefined) rank++;
    if (spansSegments) rank--;
  }
  return rank;
}
