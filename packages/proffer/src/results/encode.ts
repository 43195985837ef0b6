import { ERRORS, type ErrorObject, type RpcError } from "../protocol/errors.ts";
import { type RequestId, surround, toText, type Wire } from "../protocol/messages.ts";
import type { CacheHints, Meta } from "../protocol/model.ts";
import type { Revision } from "../protocol/revisions/revision.ts";
import type { ServerState } from "../server/server.ts";
import { LARGE, type SingleContent, splitLarge, TEXT_END } from "./large.ts";
import { SerializedResult } from "./serialized.ts";

/** The JSON of a result, with what each result of the revision carries. */
export function encodeResult(server: ServerState, revision: Revision, result: object, hints?: CacheHints): Wire {
  const large = splitLarge(result);
  if (large !== undefined) {
    const [shell, body] = large;
    // What is left may still be large, by its URI or its metadata.
    const json = toText(encodeResult(server, revision, shell, hints));
    return [json.slice(0, -TEXT_END.length), ...body, TEXT_END];
  }
  const envelope = server.envelope(revision, hints);
  if (envelope !== undefined && ("_meta" in result || "resultType" in result)) {
    const own = (result as { _meta?: Meta })._meta;
    const _meta = { ...(envelope.value._meta as Meta), ...own };
    return JSON.stringify({ ...envelope.value, ...result, _meta });
  }
  let json = envelope?.open ?? "{";
  let separator = envelope === undefined ? "" : ",";
  const keys = Object.keys(result);
  for (const each of keys) {
    const part = partJson(result[each as keyof typeof result]);
    if (part === undefined) continue;
    json += `${separator}${JSON.stringify(each)}:`;
    if (keys.length === 1 && part.length >= LARGE) return [json, part, "}"];
    json += part;
    separator = ",";
  }
  return `${json}}`;
}

/** The result that asks the client for something, and has it send the request again with this token. */
export function encodeInputRequired(
  server: ServerState,
  revision: Revision,
  inputRequests: object,
  requestState: string,
): SerializedResult {
  const open = server.envelope(revision, undefined)?.asking ?? '{"resultType":"input_required"';
  // A token has nothing to escape, and to look through it takes half as long as to seal it.
  const json = `${open},"inputRequests":${JSON.stringify(inputRequests)},"requestState":"${requestState}"}`;
  return new SerializedResult({ resultType: "input_required", inputRequests, requestState }, json);
}

/** Most results are one text, and to stringify only what may have to be escaped takes half the time or less. */
function partJson(value: unknown): string | undefined {
  const sole: SingleContent | undefined = Array.isArray(value) && value.length === 1 ? value[0] : undefined;
  if (typeof sole?.text !== "string") return JSON.stringify(value);
  const { type, uri, mimeType, text } = sole;
  // What else there may be, such as annotations, is not for here.
  const size = Object.keys(sole).length;
  if (type === "text" && size === 2) return `[{"type":"text","text":${JSON.stringify(text)}}]`;
  if (typeof uri !== "string" || typeof mimeType !== "string" || size !== 3) return JSON.stringify(value);
  return `[{"uri":${JSON.stringify(uri)},"mimeType":${JSON.stringify(mimeType)},"text":${JSON.stringify(text)}}]`;
}

/** The message that answers a request with a result. */
export function resultMessage(id: RequestId, result: Wire | SerializedResult): Wire {
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
  if (!(result instanceof SerializedResult)) return surround(head, result, "}");
  return result.json.length < LARGE ? `${head}${result.json}}` : [head, result.bytes, "}"];
}

/** The message that answers a request with an error; without a readable id, as the revision has it. */
export function errorMessage(id: RequestId | null | undefined, error: ErrorObject): string {
  return JSON.stringify({ jsonrpc: "2.0", ...(id === undefined ? {} : { id }), error });
}

/** The error object of an error, under the code that the revision has for it. */
export function toErrorObject(error: RpcError, revision: Revision | undefined): ErrorObject {
  const code = error.code ?? revision?.codes[error.kind] ?? ERRORS[error.kind];
  return { code, message: error.message, ...(error.data === undefined ? {} : { data: error.data }) };
}

/** Serialises a result once, for all who will ask for it in that revision. */
export function serializeResult(
  server: ServerState,
  revision: Revision,
  result: object,
  hints?: CacheHints,
): SerializedResult {
  return new SerializedResult(result, toText(encodeResult(server, revision, result, hints)));
}
