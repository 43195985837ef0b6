import { InvalidParams, NotFound, RpcError } from "../protocol/errors.ts";
import type { Fault } from "../uri/reading.ts";
import { quote } from "../uri/template-error.ts";
import type { ParamIssueKind } from "./params/param.ts";

/** Everything that a read of a resource can be refused for before its handler runs, and `missing`, after it. */
export type RefusalKind =
  | ParamIssueKind
  | Fault["kind"]
  /** A URI that nothing on the server matches and no group owns. */
  | "foreign"
  /** A handler that returned nothing. */
  | "missing"
  /** A segment "." or "..". */
  | "traversal"
  /** A query parameter that the template does not name. */
  | "unknown_key"
  /** A URI that begins as the group's do, and that none of its resources matches. */
  | "unmatched";

/** What was refused, for those who word it. */
export interface Refusal {
  readonly kind: RefusalKind;
  readonly uri: string;
  /** The variable or the key of the query; "" where there is none. */
  readonly name: string;
  /** What the author calls the value. Default: its name. */
  readonly label: string;
  /** The value, the key or the segment at fault. */
  readonly value: string;
  /** What is wrong, in words that can follow the value. */
  readonly reason: string;
  /** The limit that was passed. */
  readonly limit: number | undefined;
  /** The first character that may not be there. */
  readonly char: string | undefined;
  /** The keys that the query may have. */
  readonly keys: readonly string[];
  /** The path behind the group's prefix, by segments. */
  readonly segments: readonly string[];
  readonly query: ReadonlyMap<string, string>;
}

/** Words a refusal: a text goes out as invalid params without data; an error as it is. */
export type RefusalMessage = (refusal: Refusal) => string | RpcError;

/** A wording for each kind of refusal, or one for all. */
export type RefusalMessages = RefusalMessage | { readonly [Kind in RefusalKind]?: RefusalMessage };

/** The error that a refusal becomes. */
export function toError(refusal: Refusal, messages: RefusalMessages): RpcError {
  const wording = typeof messages === "function" ? messages : messages[refusal.kind];
  if (wording === undefined) return byDefault(refusal);
  const words = wording(refusal);
  return typeof words === "string" ? new RpcError("invalid_params", words) : words;
}

function byDefault(refusal: Refusal): RpcError {
  const { kind, name, value, limit, uri, reason } = refusal;
  if (kind === "foreign" || kind === "unmatched" || kind === "missing") {
    return new NotFound(`There is no resource ${quote(uri)}.`, { uri });
  }
  const subject = name === "" ? quote(value) : `${refusal.label} ${quote(value)}`;
  return new InvalidParams(`${subject} on ${quote(uri)} ${reason}.`, {
    uri,
    ...(name === "" ? {} : { name }),
    value,
    ...(limit === undefined ? {} : { limit }),
  });
}
