import type { Draft } from "../protocol/api.ts";
import type { JsonObject } from "../protocol/json.ts";
import type { Copied, CopySource } from "./copy-source.ts";

const COMMANDS = { "tools/call": "call", "resources/read": "read", "prompts/get": "prompt" } as const;

/** Writes the command of `proffer` that makes the request, for sh. */
export function asSh(draft: Draft, source: CopySource): Copied {
  const words = wordsOf(draft, source, (input) => ["--input", input]);
  return { text: words.map(quoteForSh).join(" "), language: "sh" };
}

/**
 * Writes the same for PowerShell. The arguments go through stdin: Windows PowerShell 5 removes double quotes from the
 * arguments of programs.
 */
export function asPowerShell(draft: Draft, source: CopySource): Copied {
  let piped = "";
  const words = wordsOf(draft, source, (input) => {
    piped = `${quoteForPowerShell(input)} | `;
    return ["--input", "-"];
  });
  return { text: piped + words.map(quoteForPowerShell).join(" "), language: "powershell" };
}

function wordsOf(
  { method, params, revision }: Draft,
  { target, newest }: CopySource,
  giveInput: (json: string) => string[],
): string[] {
  const values = (params.arguments ?? {}) as JsonObject;
  const isEmpty = Object.keys(values).length === 0;
  const given =
    method === "tools/call"
      ? isEmpty
        ? []
        : giveInput(JSON.stringify(values))
      : Object.entries(values).flatMap(([name, value]) => ["--arg", `${name}=${value}`]);
  return [
    "npx",
    "proffer",
    COMMANDS[method],
    ...(target.kind === "module" ? [toPath(target.file)] : target.kind === "url" ? [target.url] : []),
    String(method === "resources/read" ? params.uri : params.name),
    ...given,
    ...(revision === newest ? [] : ["--revision", revision]),
    ...(target.kind === "command" ? ["--", ...target.command] : []),
  ];
}

/** A file named -x is not an option. */
function toPath(file: string): string {
  return file.startsWith("-") ? `./${file}` : file;
}

/** Within single quotes, sh takes every character as it is, also a line feed. */
export function quoteForSh(word: string): string {
  return /^[\w./:@+,=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function quoteForPowerShell(word: string): string {
  if (/^[\w./:\\-]+$/.test(word)) return word;
  // PowerShell takes typographic quotes for quotes, too.
  return `'${word.replace(/['\u2018\u2019\u201a\u201b]/g, "$&$&")}'`;
}
