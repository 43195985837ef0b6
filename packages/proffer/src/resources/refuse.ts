import type { RpcError } from "../protocol/errors.ts";
import { dropEmptySegments, pathEnd } from "../uri/uri-text.ts";
import { dotSegment } from "./params/path.ts";
import { type Refusal, type RefusalKind, toError } from "./refusal.ts";
import type { ResourceRules } from "./rules.ts";

type Detail = Partial<Pick<Refusal, "name" | "label" | "value" | "reason" | "limit" | "char" | "keys">>;

/** Creates the error that rejects a URI, with the message of its group. */
export function refusalError(rules: ResourceRules, kind: RefusalKind, uri: string, detail: Detail = {}): RpcError {
  const { name = "", value = "" } = detail;
  const refusal: Refusal = {
    kind,
    uri,
    name,
    label: detail.label ?? name,
    value,
    reason: detail.reason ?? "",
    limit: detail.limit,
    char: detail.char,
    keys: detail.keys ?? [],
    ...splitUri(rules, uri),
  };
  return toError(refusal, rules.messages);
}

/** Rejects a path with a segment "." or "..". @throws {RpcError} */
export function checkDotSegments(rules: ResourceRules, uri: string): void {
  if (!rules.refuseDotSegments) return;
  const segment = dotSegment(uri, rules.match.decode !== false);
  if (segment === undefined) return;
  throw refusalError(rules, "traversal", uri, {
    value: segment,
    reason: "is a dot segment; remove it",
  });
}

function splitUri(rules: ResourceRules, uri: string): Pick<Refusal, "segments" | "query"> {
  const { emptySegments } = rules.match;
  const whole = emptySegments === "drop" ? dropEmptySegments(uri) : uri;
  const rest = whole.startsWith(rules.prefix) ? whole.slice(rules.prefix.length) : whole;
  const end = pathEnd(rest);
  const path = rest.slice(0, end);
  const query = new Map<string, string>();
  for (const pair of rest.charAt(end) === "?" ? rest.slice(end + 1).split("&") : []) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    query.set(equals === -1 ? pair : pair.slice(0, equals), equals === -1 ? "" : pair.slice(equals + 1));
  }
  return { segments: path === "" ? [] : path.split("/"), query };
}
