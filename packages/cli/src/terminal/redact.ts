import { withoutSecrets } from "proffer/process";
import { currentShell } from "./shell.ts";

/** Names of variables, headers and keys that hold secrets. */
export const SECRET_NAME =
  /(?:token|secret|passwords?|passwd|passphrase|credentials?|cookies?|auth|authorization|keys?)$/i;
/** A shorter value of a variable occurs in other text by chance. */
const MIN_LENGTH = 8;
const HIDDEN = "***";

/** Credentials in the usual notations: HTTP headers, URLs, queries and our own API keys. */
const NOTATIONS: readonly [pattern: RegExp, replacement: string][] = [
  [/\b(Bearer|Basic) +[\w.~+/=-]{6,}/gi, `$1 ${HIDDEN}`],
  [/\b((?:set-)?cookie|authorization|mcp-session-id)(["']?: *["']?)(?!(?:Bearer|Basic) )[^\s"',]+/gi, `$1$2${HIDDEN}`],
  [/(:\/\/)[^\s/?#@]+@/g, `$1${HIDDEN}@`],
  [/([?&][\w.-]*(?:token|secret|password|auth|key)=)[^\s&#"']+/gi, `$1${HIDDEN}`],
  [/\bpfr_[\w-]{22,}/g, `pfr_${HIDDEN}`],
];

/** Values that the user passed in flags. */
const hidden = new Set<string>();

/** Hides a value in errors and logs from now on: a server may repeat it in an error message. */
export function hideFromErrors(value: string): void {
  // `Bearer <token>`: the token alone is as secret.
  for (const part of [value, ...value.split(/\s+/)]) if (part.length >= MIN_LENGTH) hidden.add(part);
}

/** Hides secret settings, the values of secret environment variables and flags, and credentials in the usual notations. */
export function redact(text: string, env: NodeJS.ProcessEnv = currentShell().env): string {
  const secret = Object.entries(env).flatMap(([name, value = ""]) => (SECRET_NAME.test(name) ? value : []));
  const values = [...hidden, ...secret.filter(({ length }) => length >= MIN_LENGTH)];
  let redacted = withoutSecrets(text).replace(everySpelling(values), HIDDEN);
  for (const [pattern, replacement] of NOTATIONS) redacted = redacted.replace(pattern, replacement);
  return redacted;
}

/** Characters of one value that are looked for in all spellings; of more, V8 cannot make a regular expression. */
const MAX_SPELLED = 500;

/**
 * Matches values also as JSON and URLs spell them: a slash as `\/`, other characters as `\u003c` or `%3C`, and with the
 * further backslashes of JSON in a string of JSON. Of two values that begin at one place, the longer one matches.
 */
export function everySpelling(values: readonly string[]): RegExp {
  const sorted = [...new Set(values)].sort((a, b) => b.length - a.length);
  // Without a value, nothing matches.
  return new RegExp(sorted.map(spellingsOf).join("|") || "(?!)", "g");
}

function spellingsOf(value: string): string {
  let left = MAX_SPELLED;
  return value.replace(/[\w~-]+|\\+|[\s\S]/g, (part) => {
    if (/^[\w~-]/.test(part)) return part;
    const code = part.charCodeAt(0);
    const literal = `\\u${code.toString(16).padStart(4, "0")}`;
    const count = `{${part.length}}`;
    if (--left < 0) return literal + count;
    const json = `\\\\{1,7}u${hex(code, 4)}`;
    const url = `(?:${[...Buffer.from(part.charAt(0))].map((byte) => `%${hex(byte, 2)}`).join("")})${count}`;
    // A run of backslashes is one part: as parts of their own, they could be matched in many ways.
    if (part[0] === "\\") return `(?:\\\\{${part.length},${8 * part.length}}|(?:${json})${count}|${url})`;
    return `(?:\\\\{0,7}${literal}|${json}|${url})`;
  });
}

/** Hexadecimal digits in both cases, as a pattern. */
function hex(code: number, digits: number): string {
  const text = code.toString(16).padStart(digits, "0");
  return text.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}
