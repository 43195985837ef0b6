import { findRoute } from "./find-route.ts";
import { MAX_URI_LENGTH } from "./parse.ts";
import type { Match, MatchOptions } from "./reading.ts";
import { Routes } from "./routes.ts";
import { parseTemplate, type Template } from "./template.ts";

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
  const routes = new Routes<Value, Template>();
  return {
    add: (uri, value, options) => routes.add(typeof uri === "string" ? toTemplate(uri) : uri, value, options),
    remove: (uri) => routes.remove(typeof uri === "string" ? uri : uri.text),
    match: (uri, allows) => (uri.length > maxUriLength ? undefined : findRoute(routes, uri, allows)),
  };
}

function toTemplate(uri: string): string | Template {
  return uri.includes("{") || uri.includes("}") ? parseTemplate(uri) : uri;
}
