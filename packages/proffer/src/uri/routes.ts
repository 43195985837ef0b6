import { checkOptions } from "./check-options.ts";
import { type ParsedTemplate, planOf } from "./parsed-template.ts";
import { literalPlan, type Plan } from "./plan.ts";
import type { MatchOptions } from "./reading.ts";
import { toRank, toShape } from "./route-rank.ts";
import type { RouteTree, TreeRoute } from "./route-tree.ts";
import { dropEmptySegments } from "./segments.ts";
import { quote, TemplateError } from "./template-error.ts";

/** An exact URI or a template with its value. */
export interface Route<Value, Parsed extends ParsedTemplate = ParsedTemplate> extends TreeRoute {
  readonly text: string;
  readonly shape: string;
  readonly value: Value;
  /** Undefined for an exact URI. */
  readonly template: Parsed | undefined;
  readonly plan: Plan;
  readonly options: MatchOptions;
}

/** Routes with the same handling of empty segments. */
export interface RouteGroup<Value, Parsed extends ParsedTemplate = ParsedTemplate> {
  readonly exact: Map<string, Route<Value, Parsed>>;
  readonly templates: Set<Route<Value, Parsed>>;
  /** Built by `findRoute`, and built again after a removal. */
  tree: RouteTree<Route<Value, Parsed>> | undefined;
  /** The templates that are not in the tree yet. */
  waiting: Route<Value, Parsed>[];
}

/** Exact URIs and templates. `findRoute` matches them, so that a server can be defined without it. */
export class Routes<Value, Parsed extends ParsedTemplate = ParsedTemplate> {
  readonly keeping = createGroup<Value, Parsed>();
  /** The routes for URIs without their empty segments. */
  readonly dropping = createGroup<Value, Parsed>();
  readonly #byText = new Map<string, Route<Value, Parsed>>();
  readonly #byShape = new Map<string, Route<Value, Parsed>>();

  /** Adds a template, or an exact URI. @throws {TemplateError} if it is ambiguous, or a route matches the same URIs. */
  add(uri: string | Parsed, value: Value, options: MatchOptions = {}): void {
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
    group.waiting.push(route);
  }

  /** Removes a route by its text. Returns whether it existed. */
  remove(text: string): boolean {
    const route = this.#byText.get(text);
    if (route === undefined) return false;
    this.#byText.delete(route.text);
    this.#byShape.delete(route.shape);
    const group = this.#groupOf(route);
    group.exact.delete(route.shape);
    if (group.templates.delete(route)) {
      group.tree = undefined;
      group.waiting = [...group.templates];
    }
    return true;
  }

  #groupOf(route: Route<Value, Parsed>): RouteGroup<Value, Parsed> {
    return route.options.emptySegments === "drop" ? this.dropping : this.keeping;
  }
}

function createGroup<Value, Parsed extends ParsedTemplate>(): RouteGroup<Value, Parsed> {
  return { exact: new Map(), templates: new Set(), tree: undefined, waiting: [] };
}

function toRoute<Value, Parsed extends ParsedTemplate>(
  uri: string | Parsed,
  value: Value,
  options: MatchOptions,
): Route<Value, Parsed> {
  if (typeof uri === "string") {
    const exact = options.emptySegments === "drop" ? dropEmptySegments(uri) : uri;
    const plan = literalPlan(exact);
    return { text: uri, shape: exact, value, template: undefined, plan, path: plan.path, rank: 0, options };
  }
  const plan = planOf(uri);
  checkOptions(uri.text, uri.variables, plan, options);
  return {
    text: uri.text,
    shape: toShape(plan),
    value,
    template: uri,
    plan,
    path: plan.path,
    rank: toRank(plan),
    options,
  };
}
