import { type ErrorName, InvalidParams, NotFound, RpcError } from "../protocol/errors.ts";
import type { Fault } from "../uri/match.ts";
import { quote } from "../uri/parse.ts";
import type { ParamIssueKind } from "./params/param.ts";

/** The reasons to reject a read: all are found before the handler runs, except `missing`. */
export type RefusalKind =
  | ParamIssueKind
  | Fault["kind"]
  /** No resource matches the URI, and it starts with no group's prefix. */
  | "foreign"
  /** The handler returned nothing, or threw a `NotFound` without a message. */
  | "missing"
  /** The path has a segment "." or "..". */
  | "traversal"
  /** The query has a key that the template does not declare. */
  | "unknown_key"
  /** The URI starts with the group's prefix, but none of its resources matches. */
  | "unmatched";

/** The details of a refusal, passed to `messages`. */
export interface Refusal {
  readonly kind: RefusalKind;
  readonly uri: string;
  /** The variable or query key; "" if the refusal is not about one. */
  readonly name: string;
  /** The `label` of the parameter. Default: its name. */
  readonly label: string;
  /** The invalid value, key or segment. */
  readonly value: string;
  /** The problem, worded to follow the value. */
  readonly reason: string;
  /** The limit that was exceeded. */
  readonly limit: number | undefined;
  /** The first character that is not allowed. */
  readonly char: string | undefined;
  /** The keys that the query accepts. */
  readonly keys: readonly string[];
  /** The segments of the path after the group's prefix. */
  readonly segments: readonly string[];
  readonly query: ReadonlyMap<string, string>;
}

/** Returns the message of a refusal, sent as invalid params without data, or an error that is sent as it is. */
export type RefusalMessage = (refusal: Refusal) => string | RpcError;

/** A message for each kind of refusal, or one function for all of them. */
export type RefusalMessages = RefusalMessage | { readonly [Kind in RefusalKind]?: RefusalMessage };

/** Converts a refusal to an error. */
export function toError(refusal: Refusal, messages: RefusalMessages): RpcError {
  const createMessage = typeof messages === "function" ? messages : messages[refusal.kind];
  if (createMessage === undefined) return defaultError(refusal);
  return messageError("invalid_params", createMessage(refusal), `messages.${refusal.kind}`);
}

/** The error for a message from the author's function. @throws {TypeError} for any other value. */
export function messageError(kind: ErrorName, message: unknown, where: string): RpcError {
  if (message instanceof RpcError) return message;
  if (typeof message === "string") return new RpcError(kind, message);
  // The function may be async; its rejection must not end the process.
  if (message instanceof Promise) message.catch(() => undefined);
  throw new TypeError(`${where} must return a string or an RpcError`);
}

function defaultError(refusal: Refusal): RpcError {
  const { kind, name, value, limit, uri, reason } = refusal;
  if (kind === "foreign" || kind === "unmatched" || kind === "missing") {
    return new NotFound(`Resource not found: ${quote(uri)}.`, { uri });
  }
  const subject = name === "" ? quote(value) : `${refusal.label} ${quote(value)}`;
  return new InvalidParams(`${subject} in ${quote(uri)} ${reason}.`, {
    uri,
    ...(name === "" ? {} : { name }),
    value,
    ...(limit === undefined ? {} : { limit }),
  });
}
