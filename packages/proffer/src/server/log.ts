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

/** Writes each entry as one line of JSON to stderr, or where the run-time's console.error goes. */
export const consoleLog: LogSink = (entry) => {
  const { error, ...rest } = entry;
  const line = JSON.stringify({
    time: new Date().toISOString(),
    ...rest,
    ...(error === undefined ? {} : { error: describe(error) }),
  });
  console.error(line.replace(UNSAFE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`));
};

function describe(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack, cause } = error;
  return { name, message, stack, ...(cause === undefined ? {} : { cause: describe(cause) }) };
}
