import { checkOptions } from "./check-options.ts";
import { MAX_URI_LENGTH, matchPlan } from "./match.ts";
import { literalPlan, type Plan, toPlan } from "./plan.ts";
import { createReading, type Match, type MatchOptions, toMatch } from "./reading.ts";
import { toRank, toShape } from "./route-rank.ts";
import { createRouteTree, insertRoute, type Routed, type RouteTree, type Search, searchRoutes } from "./route-tree.ts";
import { dropEmptySegments, pathEnd } from "./segments.ts";
import { parseTemplate, type Template } from "./template.ts";
import { quote, TemplateError } from "./template-error.ts";

/** What a router found for a URI. */
export interface RouteMatch<Value> {
  readonly value: Value;
  /** Absent for a URI that was added as it is. */
  readonly template: Template | undefined;
  readonly match: Match;
}

/** Values by URI and by template. */
export interface Router<Value> {
  /**
   * Adds a URI, or a template if the text has a brace. @throws {TemplateError} for a malformed or ambiguous template,
   * and for one that describes the same URIs as one that is there.
   */
  add(uri: string | Template, value: Value, options?: MatchOptions): void;
  /** Removes what was added under this text. Returns whether there was something. */
  remove(uri: string | Template): boolean;
  /** Finds the value of a URI: an exact one first, then the template that is the most literal from the left. */
  match(uri: string): RouteMatch<Value> | undefined;
}

interface Route<Value> extends Routed {
  readonly text: string;
  readonly shape: string;
  readonly value: Value;
  readonly template: Template | undefined;
  readonly plan: Plan;
  readonly options: MatchOptions;
}

/** Routes that see a URI in the same form. */
interface Group<Value> {
  readonly exact: Map<string, Route<Value>>;
  readonly templates: Set<Route<Value>>;
  /** Built when it is needed, and again after a removal. */
  tree: RouteTree<Route<Value>> | undefined;
}

export interface RouterOptions {
  /** How many characters a URI may have: a longer one matches nothing. Default: 16,384. */
  readonly maxUriLength?: number;
}

/** Creates a router. What a match costs does not depend on how many templates there are. */
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
      const rival = byShape.get(route.shape) ?? byText.get(route.text);
      if (rival !== undefined) {
        throw new TemplateError(route.text, 0, `${quote(rival.text)} describes the same URIs; remove one of the two.`);
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

    match(uri) {
      if (uri.length > maxUriLength) return undefined;
      if (dropping.exact.size + dropping.templates.size === 0) {
        return matchExact(keeping, uri) ?? matchTemplates(keeping, uri);
      }
      const reduced = dropEmptySegments(uri);
      return (
        matchExact(keeping, uri) ??
        matchExact(dropping, reduced) ??
        matchTemplates(keeping, uri) ??
        matchTemplates(dropping, reduced)
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

/** A URI that was added as it is, with any query: what to make of the query is for others to say. */
function matchExact<Value>(group: Group<Value>, uri: string): RouteMatch<Value> | undefined {
  if (group.exact.size === 0) return undefined;
  const whole = group.exact.get(uri);
  if (whole !== undefined) {
    return { value: whole.value, template: undefined, match: toMatch(createReading(whole.options)) };
  }
  const mark = uri.indexOf("?");
  const route = mark === -1 ? undefined : group.exact.get(uri.slice(0, mark));
  return route && accept(route, uri);
}

function matchTemplates<Value>(group: Group<Value>, uri: string): RouteMatch<Value> | undefined {
  if (group.templates.size === 0) return undefined;
  group.tree ??= toTree(group.templates);
  const search: Search<Route<Value>, RouteMatch<Value>> = { uri, path: uri.slice(0, pathEnd(uri)), accept };
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
