import type { Server } from "proffer";
import type { Diagnostic, ItemPositions } from "../derive/index.ts";
import { signature } from "../terminal/listing.ts";
import type { Styles } from "../terminal/terminal.ts";
import { Text, text } from "../terminal/text.ts";
import type { Difference } from "./live-server.ts";

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
/** Only the first line of a longer description is shown. */
const MAX_LENGTH = 200;

/** Describes what an edit changed for clients, one item per line. */
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

/** What `dev` did with an edit. */
export type EditEvent = AppliedEdit | BrokenEdit;

interface AppliedEdit {
  readonly how: "applied";
  readonly before: Server;
  readonly after: Server;
  readonly diagnostics: readonly Diagnostic[];
  /** The files of the derivation. */
  readonly files: readonly string[];
  readonly milliseconds: number;
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
