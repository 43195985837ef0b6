/** One line of the server's own log: what the author or operator should know and no client may see. */
export interface LogEntry {
  readonly level: "info" | "warning" | "error";
  readonly message: string;
  readonly error?: unknown;
  readonly [detail: string]: unknown;
}

export type LogSink = (entry: LogEntry) => void;

// Line separators, bidirectional overrides and C1 controls survive JSON.stringify and could forge or hide a line.
const UNSAFE = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/** Errors that are causes of errors are shown so deep: an error may be its own cause. */
const MAX_CAUSES = 8;

/** Writes each entry as one line of JSON to stderr, or where the run-time's console.error goes. */
export const consoleLog: LogSink = (entry) => {
  console.error(toLine(entry).replace(UNSAFE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`));
};

/** Makes a log that never throws: a request must be answered even if nobody can hear what went wrong with it. */
export function withoutThrowing(sink: LogSink): LogSink {
  return (entry) => {
    try {
      sink(entry);
    } catch (error) {
      consoleLog({ level: "error", message: "The log option of the server threw; this is what it was given", error });
      consoleLog(entry);
    }
  };
}

function toLine({ level, message, error, ...details }: LogEntry): string {
  const time = new Date().toISOString();
  const shown = error === undefined ? {} : { error: describe(error, MAX_CAUSES) };
  try {
    return JSON.stringify({ time, level, message, ...details, ...shown });
  } catch {
    // Nothing that somebody put into an entry may keep the rest of it from being read.
    return JSON.stringify({ time, level, message, details: "cannot be written as JSON", ...shown });
  }
}

function describe(error: unknown, causes: number): unknown {
  if (!(error instanceof Error)) return toText(error);
  const { name, message, stack, cause } = error;
  return {
    name,
    message,
    stack,
    ...(cause === undefined || causes === 0 ? {} : { cause: describe(cause, causes - 1) }),
  };
}

function toText(value: unknown): string {
  try {
    return String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}
