/** Control characters, which could move the cursor or change colors. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to escape.
const CONTROL = /[\u0000-\u001f]/g;
const COLORS: { readonly [level: string]: string } = { error: "31", warning: "33", info: "36" };
/** A longer value is cut: one entry should not fill the screen. */
const MAX_VALUE = 300;

interface Line {
  readonly time: string;
  readonly level: string;
  readonly message: string;
  readonly error?: unknown;
  readonly [detail: string]: unknown;
}

/** Converts a JSON line of the log, in which credentials are already redacted, to lines for people. */
export function toPrettyLine(json: string, isColored: boolean): string {
  const { time, level, message, error, ...details } = JSON.parse(json) as Line;
  const paint = (code: string, text: string) => (isColored ? `\u001b[${code}m${text}\u001b[0m` : text);
  const clock = new Date(time).toTimeString().slice(0, 8);
  const pairs = Object.entries(details).map(
    ([name, value]) => ` ${paint("2", `${escapeControls(name)}=`)}${show(value)}`,
  );
  const head = `${paint("2", clock)} ${paint(COLORS[level] ?? "0", level)} ${escapeControls(message)}${pairs.join("")}`;
  return error === undefined ? head : `${head}\n${indent(describe(error))}`;
}

function show(value: unknown): string {
  const text = typeof value === "string" && !/[\s"=]/.test(value) ? value : JSON.stringify(value);
  return escapeControls(text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text);
}

/** The stack of an error and of its causes; or the thrown value, if it was not an error. */
function describe(error: unknown): string {
  if (typeof error !== "object" || error === null) return String(error);
  const { name, message, stack, cause } = error as { [key: string]: unknown };
  const own = typeof stack === "string" ? stack : `${name}: ${message}`;
  return cause === undefined ? own : `${own}\ncause: ${describe(cause)}`;
}

/** Indents every line, so that none of a client's or author's text looks like an entry. */
function indent(text: string): string {
  return text
    .split("\n")
    .map((line) => `    ${escapeControls(line)}`)
    .join("\n");
}

function escapeControls(text: string): string {
  return text.replace(CONTROL, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
