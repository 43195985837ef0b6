import { contain } from "./async.ts";
import { toBase64, utf8Bytes } from "./bytes.ts";
import { isError } from "./objects.ts";

/** One line of the server's own log, for its author or operator. Clients never see it. */
export interface LogEntry {
  readonly level: "info" | "warning" | "error";
  readonly message: string;
  readonly error?: unknown;
  readonly [detail: string]: unknown;
}

export type LogSink = (entry: LogEntry) => void;

// Line separators, bidirectional overrides and C1 controls survive JSON.stringify and could forge or hide a line.
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Credentials in a text: all that follows such a name, to the end of the line, a token with its scheme, and an API key. */
const CREDENTIALS =
  /((?:authorization|cookie|session-id|api-?key|proffer_keys|requeststate)["']?\s*[:=]\s*["']?)[^\r\n"']+|\b((?:bearer|basic) +|pfr_)[\w.~+/=-]{8,}/gi;

/** The depth to which `error.cause` is followed: an error may be its own cause. */
const MAX_CAUSES = 8;

let format: ((line: string) => string) | undefined;

/** Formats the lines of `consoleLog` from now on, in the whole process. Without a function, they stay JSON. */
export function setLogFormat(next: typeof format): void {
  format = next;
}

/** Writes each entry as one line of JSON with `console.error`, which is stderr in Node. Credentials are redacted. */
export const consoleLog: LogSink = (entry) => {
  const line = escapeLine(withoutSecrets(toLine(entry)));
  console.error(format === undefined ? line : format(line));
};

/** Escapes the characters of a line of JSON that a terminal or a reader of lines could misread. */
export function escapeLine(json: string): string {
  return json.replace(UNSAFE, escapeCharacter);
}

/** Writes a character that must not reach a terminal as `\uXXXX`. */
export function escapeCharacter(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Wraps a sink so that it never fails: a request must be answered even if its error cannot be logged. */
export function withoutThrowing(sink: LogSink): LogSink {
  return (entry) =>
    contain(
      () => sink(entry),
      (error) => {
        consoleLog({ level: "error", message: "The log function failed", error });
        consoleLog(entry);
      },
    );
}

/** In characters. A shorter value occurs in other text by chance. */
const MIN_HIDDEN_LENGTH = 4;

/** The registered symbol is shared by all copies of Proffer in a process: the server's module may have its own copy. */
const HIDDEN = Symbol.for("proffer.secrets");

/** Half of a surrogate pair, which has no percent-encoded form. */
const HALF_PAIR = /\p{Cs}/gu;

type SecretHolder = { [HIDDEN]?: Set<string> };

/** Replaces a value in logs and error messages of this process from now on. */
export function hideSecret(value: string): void {
  if (value.length < MIN_HIDDEN_LENGTH) return;
  const holder = globalThis as SecretHolder;
  const plain = [value, ...urlForms(value.replace(HALF_PAIR, "")), ...base64Forms(value)];
  const json = plain.flatMap(jsonForms);
  // A text may quote JSON that quotes JSON.
  const forms = [...(holder[HIDDEN] ?? []), ...plain, ...json, ...json.flatMap(jsonForms)];
  // The longest first: the rest of a value would stay if a part of it were replaced before.
  holder[HIDDEN] = new Set(forms.sort((one, other) => other.length - one.length));
}

/** A value in URLs and forms, as the encoders of several languages write it. */
function urlForms(value: string): string[] {
  const encoded = encodeURIComponent(value);
  const strict = encoded.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  const forms = [encoded, strict, new URLSearchParams({ "": value }).toString().slice(1)];
  return [...forms, ...forms.map((form) => form.replace(/%../g, (code) => code.toLowerCase()))];
}

/** A value inside a text of JSON, as the encoders of several languages write it. */
function jsonForms(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const forms = [json, json.replaceAll("/", "\\/")];
  return [...forms, ...forms.map((form) => form.replace(/[^\0-\x7f]/g, escapeCharacter))];
}

/** The characters of base64 that a value has for sure, at each of the three places where it can begin. */
function base64Forms(value: string): string[] {
  const bytes = utf8Bytes(value);
  return [0, 1, 2].flatMap((offset) => {
    const shifted = new Uint8Array(offset + bytes.length);
    shifted.set(bytes, offset);
    const form = toBase64(shifted).slice(Math.ceil((offset * 8) / 6), Math.floor((shifted.length * 8) / 6));
    return form.length < MIN_HIDDEN_LENGTH ? [] : [form, form.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

/** Returns a text without the hidden values. */
export function withoutSecrets(text: string): string {
  let shown = text;
  for (const secret of (globalThis as SecretHolder)[HIDDEN] ?? []) shown = shown.replaceAll(secret, "[redacted]");
  return shown;
}

/** Returns a text or a number without the hidden values; any other value as it is. */
function withoutSecretsIn(value: unknown): unknown {
  if (typeof value !== "string" && typeof value !== "number") return value;
  const shown = withoutSecrets(String(value));
  return shown === String(value) ? value : shown;
}

/** Returns a text without the hidden values, and without texts that look like credentials. */
export function withoutCredentials(text: string): string {
  return withoutSecrets(text).replace(CREDENTIALS, "$1$2[redacted]");
}

/**
 * Returns data as JSON, without the hidden values, and with the name and the message of each error only: its stack, its
 * cause and other properties may contain secrets, such as the headers of a request.
 */
export function forClients(data: unknown): unknown {
  if (typeof data !== "object" || data === null) return withoutSecretsIn(data);
  const text = JSON.stringify(data, function (this: Record<string, unknown>, name, value) {
    // As it was before its `toJSON`.
    const own = this[name];
    if (isError(own)) return { name: String(own.name), message: String(own.message) };
    return withoutSecretsIn(value);
  });
  return text === undefined ? undefined : JSON.parse(text);
}

/** The message of a thrown value, which may be anything. */
export function messageOf(thrown: unknown): string {
  return toText(thrown instanceof Error ? thrown.message : thrown);
}

function toLine({ level, message, error, ...details }: LogEntry): string {
  const time = new Date().toISOString();
  const shown = error === undefined ? {} : { error: describe(error, MAX_CAUSES) };
  try {
    return JSON.stringify({ time, level, message, ...details, ...shown }, redact);
  } catch {
    // One detail that cannot be serialized must not hide the rest of the entry.
    return JSON.stringify({ time, level, message, details: "not serializable as JSON", ...shown }, redact);
  }
}

/** Replaces the credentials in a detail: in its text, or the whole of it if its name says that it is one. */
function redact(name: string, value: unknown): unknown {
  // Before they are JSON: a text may quote JSON that quotes JSON.
  const known = withoutSecretsIn(value);
  const text = typeof known === "string" ? known : "?";
  const shown = `${name}: ${text}`.replace(CREDENTIALS, "$1$2[redacted]").slice(name.length + 2);
  return shown === text ? known : shown;
}

function describe(error: unknown, causes: number): unknown {
  try {
    if (!(error instanceof Error)) return toText(error);
    const { name, message, stack, cause } = error;
    const shown = cause === undefined || causes === 0 ? undefined : describe(cause, causes - 1);
    return { name, message, stack, cause: shown };
  } catch {
    // The error has getters that throw, or is a revoked proxy.
    return "unreadable";
  }
}

function toText(value: unknown): string {
  try {
    return String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}
