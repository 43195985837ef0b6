import { ERRORS, type ErrorObject, type RpcError } from "../protocol/errors.ts";
import type { RequestId, Wire } from "../protocol/messages.ts";
import type { CacheHints, Meta } from "../protocol/model.ts";
import type { Revision } from "../protocol/revision.ts";
import { Prepared } from "./prepared.ts";
import type { ServerState } from "./server.ts";

/** Above this size, what was serialised before is sent as bytes instead of being copied into a string. */
const BYTES_FROM = 8 * 1024;

/** The JSON of a result, with what each result of the revision carries. */
export function encodeResult(server: ServerState, revision: Revision, result: object, hints?: CacheHints): string {
  const envelope = server.envelope(revision, hints);
  if (envelope === undefined) return JSON.stringify(result);
  if ("_meta" in result || "resultType" in result) {
    const own = (result as { _meta?: Meta })._meta;
    const _meta = { ...(envelope.value._meta as Meta), ...own };
    return JSON.stringify({ ...envelope.value, ...result, _meta });
  }
  let json = envelope.open;
  // To cut the brace off the whole would copy it: a third of the time that a large text takes.
  for (const key of Object.keys(result)) {
    const part = JSON.stringify(result[key as keyof typeof result]);
    if (part !== undefined) json += `,${JSON.stringify(key)}:${part}`;
  }
  return `${json}}`;
}

/** The message that answers a request with a result. */
export function resultMessage(id: RequestId, result: string | Prepared): Wire {
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
  if (typeof result === "string") return `${head}${result}}`;
  return result.json.length < BYTES_FROM ? `${head}${result.json}}` : [head, result.bytes, "}"];
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
export function prepare(server: ServerState, revision: Revision, result: object, hints?: CacheHints): Prepared {
  return new Prepared(result, encodeResult(server, revision, result, hints));
}
