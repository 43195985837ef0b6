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
  let redacted = withoutSecrets(text);
  for (const [name, value = ""] of Object.entries(env)) {
    if (SECRET_NAME.test(name) && value.length >= MIN_LENGTH) redacted = redacted.replaceAll(value, HIDDEN);
  }
  for (const value of hidden) redacted = redacted.replaceAll(value, HIDDEN);
  for (const [pattern, replacement] of NOTATIONS) redacted = redacted.replace(pattern, replacement);
  return redacted;
}
