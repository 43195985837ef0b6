import { ERRORS, type ErrorObject, type RpcError } from "../protocol/errors.ts";
import { type RequestId, surround, toText, type Wire } from "../protocol/messages.ts";
import type {
  CacheHints,
  CallResult,
  Implementation,
  Meta,
  ReadResult,
  ResourceContents,
  TextBlock,
} from "../protocol/model.ts";
import { convert, type Revision } from "../protocol/revisions/revision.ts";
import { asciiBytes } from "../support/bytes.ts";
import { forClients, withoutSecrets } from "../support/log.ts";
import { isEncoded } from "./content.ts";
import { isHighSurrogate } from "./truncate.ts";

/** JSON of this length or more is sent as a separate part, because joining it with other text would copy it again. */
const LARGE = 16 * 1024;

/**
 * A text is escaped in pieces of this size. JSON.stringify of the whole text would assemble it from fragments, flatten
 * it into one string and copy that into bytes, each time into newly allocated memory.
 */
const PIECE = 64 * 1024;

/** Serializes a result: the envelope of the revision, followed by the result's own members. */
export function encodeResult(envelopes: Envelopes, revision: Revision, result: object, hints?: CacheHints): Wire {
  const large = splitLarge(result);
  // The shell may itself be large, because of its URI or its metadata. Its members are the last ones of the JSON.
  if (large !== undefined) {
    const shell = toText(encodeResult(envelopes, revision, large.shell, hints));
    return [shell.slice(0, -SHELL_END.length), ...large.body, SHELL_END];
  }
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

/** Serializes a result that will be sent to many clients of the revision. */
export function serializeResult(
  envelopes: Envelopes,
  revision: Revision,
  result: object,
  hints?: CacheHints,
): SerializedResult {
  return new SerializedResult(result, toText(encodeResult(envelopes, revision, result, hints)));
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

/** A result that is serialized once and sent many times. Middleware reads its `value`. */
export class SerializedResult {
  readonly value: object;
  /** The JSON of the whole result, in the shape of one revision. */
  readonly json: string;
  #bytes: Uint8Array | undefined;

  constructor(value: object, json: string) {
    this.value = value;
    this.json = json;
  }

  get bytes(): Uint8Array {
    this.#bytes ??= new TextEncoder().encode(this.json);
    return this.#bytes;
  }
}

/** The members that every result of a revision carries, such as its type and its cache hints. */
interface Envelope {
  readonly value: { readonly [key: string]: unknown };
  /** The JSON of `value` without the closing brace: the start of every result. */
  readonly open: string;
  /** The same for a result that asks the client for input. */
  readonly openInputRequired: string;
}

/** Caches the envelopes of one server, by revision and cache hints. */
export class Envelopes {
  readonly #server: Implementation;
  readonly #cache = new Map<string, Envelope>();

  constructor(server: Implementation) {
    this.#server = server;
  }

  /** Returns the envelope, or undefined if results of the revision have none. */
  get(revision: Revision, hints: CacheHints | undefined): Envelope | undefined {
    if (revision.envelope === undefined) return undefined;
    const key = hints === undefined ? revision.version : `${revision.version} ${hints.ttlMs} ${hints.cacheScope}`;
    let envelope = this.#cache.get(key);
    if (envelope === undefined) {
      const value = revision.envelope(convert(revision, "implementation", this.#server), hints);
      const inputRequired = { ...value, resultType: "input_required" };
      envelope = { value, open: withoutBrace(value), openInputRequired: withoutBrace(inputRequired) };
      this.#cache.set(key, envelope);
    }
    return envelope;
  }
}

function withoutBrace(value: object): string {
  return JSON.stringify(value).slice(0, -1);
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

/** The message for an error that has no call: under the request's id, or as the revision requires without one. */
export function errorText(error: RpcError, id: RequestId | undefined, revision: Revision): string {
  return errorMessage(id ?? revision.unreadableId, toErrorObject(error, revision));
}

/** Converts an error to its JSON-RPC object, with the code that the revision defines for it. */
export function toErrorObject(error: RpcError, revision: Revision | undefined): ErrorObject {
  const known = revision?.codes[error.kind] ?? ERRORS[error.kind];
  // JSON-RPC requires an integer, whatever code an author has set.
  const code = Number.isInteger(error.code) ? (error.code as number) : known;
  return {
    code,
    message: withoutSecrets(error.message),
    ...(error.data === undefined ? {} : { data: sendable(error.data) }),
  };
}

/** Data that is no JSON is left out: the error must be sent. */
function sendable(data: unknown): unknown {
  try {
    return forClients(data);
  } catch {
    return undefined;
  }
}

/** The only item of a result: the contents of a resource, or a block of a tool. */
type SingleContent = Partial<ResourceContents & TextBlock>;

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

/** A result that is one large text or blob, split so that the large string is never copied into a larger one. */
interface LargeResult {
  /** The result with an empty string in place of the large one, as its last property. */
  readonly shell: object;
  /** The JSON of the large string without its quotes. */
  readonly body: Exclude<Wire, string>;
}

/** The end of a shell's JSON, from the closing quote of its empty string. The body is inserted before it. */
const SHELL_END = '"}]}';

/** Splits a result that is one large text or blob and nothing else; returns undefined for any other result. */
function splitLarge(result: Partial<ReadResult & CallResult>): LargeResult | undefined {
  const key = result.contents === undefined ? "content" : "contents";
  const single = result[key]?.length === 1 ? (result[key][0] as SingleContent) : undefined;
  if (single === undefined || !isLarge(single) || Object.keys(result).length !== 1) return undefined;
  const { text = "", blob, ...rest } = single;
  if (blob === undefined) return { shell: { [key]: [{ ...rest, text: "" }] }, body: escapePieces(text) };
  // Base64 needs no escaping, and JSON.stringify would scan all of it to find that out.
  return { shell: { [key]: [{ ...rest, blob: "" }] }, body: [asciiBytes(blob)] };
}

/** Whether it is a large text, or a large blob that was encoded here. */
function isLarge(single: SingleContent): boolean {
  const { text, blob } = single;
  if (blob === undefined) return typeof text === "string" && text.length >= LARGE;
  return text === undefined && blob.length >= LARGE && isEncoded(single);
}

function escapePieces(text: string): string[] {
  const pieces = [];
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = start + PIECE;
    // Keep a surrogate pair in one piece: JSON.stringify would escape each half as a lone surrogate.
    if (isHighSurrogate(text.charCodeAt(end - 1))) end++;
    pieces.push(JSON.stringify(text.slice(start, end)).slice(1, -1));
  }
  return pieces;
}
