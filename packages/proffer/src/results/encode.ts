import { ERRORS, type ErrorObject, type RpcError } from "../protocol/errors.ts";
import { type RequestId, surround, toText, type Wire } from "../protocol/messages.ts";
import type { CacheHints, Meta } from "../protocol/model.ts";
import type { Revision } from "../protocol/revisions/revision.ts";
import { withoutSecrets } from "../support/secrets.ts";
import type { Envelopes } from "./envelope.ts";
import { joinLarge, LARGE, type SingleContent, splitLarge } from "./large.ts";
import { SerializedResult } from "./serialized.ts";

/** Serializes a result: the envelope of the revision, followed by the result's own members. */
export function encodeResult(envelopes: Envelopes, revision: Revision, result: object, hints?: CacheHints): Wire {
  const large = splitLarge(result);
  // The shell may itself be large, because of its URI or its metadata.
  if (large !== undefined) return joinLarge(toText(encodeResult(envelopes, revision, large.shell, hints)), large);
  const envelope = envelopes.get(revision, hints);
  if (envelope !== undefined && ("_meta" in result || "resultType" in result)) {
    const own = (result as { _meta?: Meta })._meta;
    const _meta = { ...(envelope.value._meta as Meta), ...own };
    return JSON.stringify({ ...envelope.value, ...result, _meta });
  }
  let json = envelope?.open ?? "{";
  let separator = envelope === undefined ? "" : ",";
  const keys = Object.keys(result);
  for (const key of keys) {
    const part = encodeMember(result[key as keyof typeof result]);
    if (part === undefined) continue;
    json += `${separator}${JSON.stringify(key)}:`;
    if (keys.length === 1 && part.length >= LARGE) return [json, part, "}"];
    json += part;
    separator = ",";
  }
  return `${json}}`;
}

/** Serializes the result that asks the client for input and to repeat the request with this state. */
export function encodeInputRequired(
  envelopes: Envelopes,
  revision: Revision,
  inputRequests: object,
  requestState: string,
): SerializedResult {
  const open = envelopes.get(revision, undefined)?.openInputRequired ?? '{"resultType":"input_required"';
  // The state is base64url and needs no escaping; JSON.stringify would scan all of it.
  const json = `${open},"inputRequests":${JSON.stringify(inputRequests)},"requestState":"${requestState}"}`;
  return new SerializedResult({ resultType: "input_required", inputRequests, requestState }, json);
}

/**
 * The fast path for the most frequent results, a single text: only its strings go through JSON.stringify. Anything else
 * (several blocks, annotations) is stringified as a whole.
 */
function encodeMember(value: unknown): string | undefined {
  const single: SingleContent | undefined = Array.isArray(value) && value.length === 1 ? value[0] : undefined;
  if (typeof single?.text !== "string") return JSON.stringify(value);
  const { type, uri, mimeType, text } = single;
  const size = Object.keys(single).length;
  if (type === "text" && size === 2) return `[{"type":"text","text":${JSON.stringify(text)}}]`;
  if (typeof uri !== "string" || typeof mimeType !== "string" || size !== 3) return JSON.stringify(value);
  return `[{"uri":${JSON.stringify(uri)},"mimeType":${JSON.stringify(mimeType)},"text":${JSON.stringify(text)}}]`;
}

/** Returns the response that carries a result. */
export function resultMessage(id: RequestId, result: Wire | SerializedResult): Wire {
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
  if (!(result instanceof SerializedResult)) return surround(head, result, "}");
  return result.json.length < LARGE ? `${head}${result.json}}` : [head, result.bytes, "}"];
}

/** Returns the response that carries an error. For an unreadable id, revisions require `null` or no id at all. */
export function errorMessage(id: RequestId | null | undefined, error: ErrorObject): string {
  return JSON.stringify({ jsonrpc: "2.0", ...(id === undefined ? {} : { id }), error });
}

/** Converts an error to its JSON-RPC object, with the code that the revision defines for it. */
export function toErrorObject(error: RpcError, revision: Revision | undefined): ErrorObject {
  const known = revision?.codes[error.kind] ?? ERRORS[error.kind];
  // JSON-RPC requires an integer, whatever code an author has set.
  const code = Number.isInteger(error.code) ? (error.code as number) : known;
  return { code, message: withoutSecrets(error.message), ...(error.data === undefined ? {} : { data: error.data }) };
}

/** The message for an error that has no call: under the request's id, or as the revision requires without one. */
export function errorText(error: RpcError, id: RequestId | undefined, revision: Revision): string {
  return errorMessage(id ?? revision.unreadableId, toErrorObject(error, revision));
}

/** Serializes a result that will be sent to many clients of the revision. */
export function serializeResult(
  envelopes: Envelopes,
  revision: Revision,
  result: object,
  hints?: CacheHints,
): SerializedResult {
  return new SerializedResult(result, toText(encodeResult(envelopes, revision, result, hints)));
}
