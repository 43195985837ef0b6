import type { Middleware, MiddlewareCall, Server } from "proffer";
import type { Diagnostic, ItemPositions } from "../derive/index.ts";
import { signature } from "../terminal/listing.ts";
import { type Styles, say, stylesFor } from "../terminal/terminal.ts";
import { shorten, Text, text } from "../terminal/text.ts";
import type { Difference } from "./live-server.ts";
import type { Version, Versions } from "./versions.ts";

/** The requests that run a function of the author, by the command that sends them. */
const SHOWN: { readonly [method: string]: string } = {
  "tools/call": "call",
  "prompts/get": "prompt",
  "resources/read": "read",
};

interface Outcome {
  readonly style: "green" | "yellow" | "red" | "dim";
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
  const client = styles.dim(shorten(`${name} ${version}`.trim(), MAX_LENGTH));
  const time = styles.dim(`${Math.round(performance.now() - started)} ms`);
  const line = text`${kind} ${styles.cyan(shorten(call.name ?? "", MAX_LENGTH))}  ${client}  ${time}  ${styles[style](shorten(ending, MAX_LENGTH))}`;
  say(Text.redact(line));
}

/** One version of a server before an edit, and the next one. */
interface Edit {
  readonly before: Server;
  readonly after: Server;
  readonly difference: Difference;
  readonly milliseconds: number;
}

type Description = { readonly [property: string]: unknown };

/** Names of properties that a client sees, in words. Others are shown as they are. */
const WORDS: { readonly [property: string]: string } = { inputSchema: "input", outputSchema: "output" };
/** A longer name, message or description would hide the other lines. */
const MAX_LENGTH = 200;

/** Describes the changes of an edit for clients, one item per line. */
export function formatEdit({ before, after, difference, milliseconds }: Edit, styles: Styles): Text {
  const { green, red, yellow, dim } = styles;
  const { added, removed, changed } = difference;
  const line = (mark: Text, item: string, note: string) =>
    note === "" ? text`  ${mark} ${item}` : text`  ${mark} ${item}  ${dim(note)}`;
  const lines = [
    ...added.map((key) => line(green("+"), nameOf(after, key), summaryOf(after, key))),
    ...changed.map((key) => line(yellow("~"), nameOf(after, key), aspectsOf(before, after, key))),
    ...removed.map((key) => line(red("-"), nameOf(before, key), "")),
  ];
  const time = `${Math.round(milliseconds)} ms`;
  if (lines.length === 0) return text`${green("✓")} Applied in ${time}. The lists are unchanged.`;
  return Text.join([text`${green("✓")} Applied in ${time}.`, ...lines], "\n");
}

function find(server: Server, key: string): Description {
  const item = server.tools.get(key) ?? server.prompts.get(key) ?? server.resources.get(key);
  return (item?.description ?? {}) as unknown as Description;
}

function nameOf(server: Server, key: string): string {
  const { inputSchema } = find(server, key);
  return inputSchema === undefined ? key : signature(key, inputSchema as object);
}

function summaryOf(server: Server, key: string): string {
  const { description } = find(server, key);
  return typeof description === "string" ? (description.split("\n", 1)[0] ?? "").slice(0, MAX_LENGTH) : "";
}

/** Returns the properties that clients see differently. */
function aspectsOf(before: Server, after: Server, key: string): string {
  const [old, now] = [find(before, key), find(after, key)];
  const names = new Set([...Object.keys(old), ...Object.keys(now)]);
  const different = [...names].filter((name) => JSON.stringify(old[name]) !== JSON.stringify(now[name]));
  return different.map((name) => WORDS[name] ?? name).join(", ");
}

/** The effect of an edit in `dev`. */
export type EditEvent = AppliedEdit | BrokenEdit;

export interface AppliedEdit extends Omit<Edit, "difference"> {
  readonly how: "applied";
  readonly diagnostics: readonly Diagnostic[];
  /** The files of the derivation. */
  readonly files: readonly string[];
  /** Finds where the parts of the items come from. */
  positions(): Promise<readonly ItemPositions[]>;
}

/** The version before stays active. */
interface BrokenEdit {
  readonly how: "broken";
  /** The error that the terminal shows. */
  readonly error: unknown;
  readonly files: readonly string[];
}

/** The version that is served first, and the places of its code. */
interface DevStart {
  /** The live server. */
  readonly server: Server;
  readonly first: Version;
  readonly versions: Pick<Versions, "files" | "positions" | "sources">;
}

/** Is notified of the versions, edits and calls of `dev`. */
export interface DevObserver {
  readonly onStart?: (start: DevStart) => void;
  readonly onListening?: (url: string) => void;
  readonly onEdit?: (event: EditEvent) => void;
}
