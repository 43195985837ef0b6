import type { Middleware, MiddlewareCall } from "proffer";
import { say, stylesFor } from "../terminal/terminal.ts";
import { Text, text } from "../terminal/text.ts";

/** The requests that run a function of the author, by the command that sends them. */
const SHOWN: { readonly [method: string]: string } = {
  "tools/call": "call",
  "prompts/get": "prompt",
  "resources/read": "read",
};
/** A longer name or message would hide the other calls. */
const MAX_LENGTH = 200;

type Style = "green" | "yellow" | "red" | "dim";

interface Outcome {
  readonly style: Style;
  readonly text: string;
}

/** Prints each call to stderr: its client, its name, its time and its outcome. */
export const reportCalls: Middleware = async (call, next) => {
  const kind = SHOWN[call.method];
  if (kind === undefined) return next();
  const started = performance.now();
  try {
    const result = await next();
    report(call, kind, started, outcomeOf(result));
    return result;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    report(call, kind, started, { style: "red", text: `error: ${message}` });
    throw error;
  }
};

const ASKS: Outcome = { style: "yellow", text: "asks the user" };
const CANCELED: Outcome = { style: "dim", text: "canceled" };

function outcomeOf(result: object): Outcome {
  const { isError, content, resultType } = result as { isError?: unknown; content?: unknown; resultType?: unknown };
  if (resultType === "input_required") return ASKS;
  if (isError !== true) return { style: "green", text: "ok" };
  const [first] = Array.isArray(content) ? content : [];
  return { style: "red", text: `failed: ${typeof first?.text === "string" ? first.text : "no text"}` };
}

function report(call: MiddlewareCall, kind: string, started: number, outcome: Outcome): void {
  const styles = stylesFor(process.stderr);
  // The signal of a call that ends with a question aborts too.
  const { style, text: ending } = call.signal.aborted && outcome !== ASKS ? CANCELED : outcome;
  const { name = "unknown client", version = "" } = call.client.info ?? {};
  const client = styles.dim(shorten(`${name} ${version}`.trim()));
  const time = styles.dim(`${Math.round(performance.now() - started)} ms`);
  const line = text`${kind} ${styles.cyan(shorten(call.name ?? ""))}  ${client}  ${time}  ${styles[style](shorten(ending))}`;
  say(Text.redact(line));
}

function shorten(value: string): string {
  return value.length > MAX_LENGTH ? `${value.slice(0, MAX_LENGTH)}…` : value;
}
