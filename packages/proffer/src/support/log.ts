import { contain } from "./async.ts";

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

/** Credentials in a text: what follows such a name, to the end of the line, a token with its scheme, and an API key. */
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

type SecretHolder = { [HIDDEN]?: Set<string> };

/** Replaces a value in logs and error messages of this process from now on. */
export function hideSecret(value: string): void {
  if (value.length < MIN_HIDDEN_LENGTH) return;
  const holder = globalThis as SecretHolder;
  holder[HIDDEN] ??= new Set();
  // The second form is the value inside of JSON.
  holder[HIDDEN].add(value).add(JSON.stringify(value).slice(1, -1));
}

/** Returns a text without the hidden values. */
export function withoutSecrets(text: string): string {
  let shown = text;
  for (const secret of (globalThis as SecretHolder)[HIDDEN] ?? []) shown = shown.replaceAll(secret, "[redacted]");
  return shown;
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
  const text = typeof value === "string" ? value : "?";
  const shown = `${name}: ${text}`.replace(CREDENTIALS, "$1$2[redacted]").slice(name.length + 2);
  return shown === text ? value : shown;
}

function describe(error: unknown, causes: number): unknown {
  try {
    if (!(error instanceof Error)) return toText(error);
    const { name, message, stack, cause } = error;
    return {
      name,
      message,
      stack,
      ...(cause === undefined || causes === 0 ? {} : { cause: describe(cause, causes - 1) }),
    };
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
