import type { MiddlewareCall } from "../calls/call-view.ts";
import type { CallOutcome, Observer } from "../calls/observe.ts";
import { defineObserver } from "../features/observe/define.ts";
import { toCanonical } from "../schema/json-schema/equality.ts";
import { escapeLine } from "../support/log.ts";
import { sha256 } from "../support/run-time.ts";
import { checkFlag, UsageError } from "../support/usage-error.ts";
import { CALLS, checkNames, checkOptions } from "./options.ts";

export interface AuditOptions {
  /** Adds the SHA-256 of the arguments, in hexadecimal. Short arguments can be guessed from it. Default: false. */
  readonly digest?: boolean;
  /** The methods that are written. Default: those that call, get, read or complete. */
  readonly methods?: readonly string[];
}

/** One line of the audit log. It never contains arguments, results or tokens. */
export interface AuditEntry {
  readonly time: string;
  /** The same for all rounds of a call. */
  readonly chain: string;
  readonly round: number;
  /** The id of the caller; null for anonymous callers. */
  readonly principal: string | null;
  /** The name and version that the client claims. */
  readonly client: string | null;
  readonly method: string;
  readonly name: string | null;
  readonly outcome: "ok" | "error" | "tool_error" | "input_required" | "cancelled";
  /** The code of a JSON-RPC error. */
  readonly code?: number;
  readonly milliseconds: number;
  readonly bytes: number;
  /** The SHA-256 of the arguments, if `digest` is set. */
  readonly arguments?: string;
}

const WHERE = "audit";
/** In characters. The names are those that a client sent. */
const MAX_TEXT = 512;

/**
 * Creates an observer that passes one line of JSON per call to `sink`, without a newline. @throws {UsageError} for
 * invalid options.
 */
export function audit(sink: (line: string) => void, options: AuditOptions = {}): Observer {
  if (typeof sink !== "function") throw new UsageError(`${WHERE} needs a function that accepts a line.`);
  checkOptions(WHERE, options, ["digest", "methods"]);
  const { digest, methods = CALLS } = options;
  checkFlag("digest", digest, WHERE);
  checkNames(WHERE, "methods", methods);
  const written = new Set(methods);
  const write = (entry: AuditEntry) => sink(escapeLine(JSON.stringify(entry)));
  return defineObserver({
    end: (call, outcome) => {
      if (!written.has(call.method)) return undefined;
      const entry = toEntry(call, outcome);
      if (!digest) return write(entry);
      const hash = sha256(toCanonical(call.params.arguments ?? null));
      if (typeof hash === "string") return write({ ...entry, arguments: hash });
      // Returned, so that a failure is logged.
      return hash.then((known) => write({ ...entry, arguments: known })) as unknown as undefined;
    },
  });
}

function toEntry(
  call: MiddlewareCall,
  { code, failed, asks, cancelled, milliseconds, bytes }: CallOutcome,
): AuditEntry {
  const { info } = call.client;
  const refused = code === undefined ? "tool_error" : "error";
  return {
    time: new Date().toISOString(),
    chain: call.chain,
    round: call.round,
    principal: call.principal?.id ?? null,
    client: info === undefined ? null : `${shorten(info.name)} ${shorten(info.version)}`,
    method: call.method,
    name: call.name === undefined ? null : shorten(call.name),
    outcome: cancelled ? "cancelled" : failed ? refused : asks ? "input_required" : "ok",
    ...(code === undefined ? {} : { code }),
    milliseconds: Math.round(milliseconds * 1000) / 1000,
    bytes,
  };
}

/** The texts of a client may be of any type and length. */
function shorten(text: unknown): string {
  return String(text).slice(0, MAX_TEXT);
}
