import { WrongUsage } from "../terminal/command-error.ts";

/** A server to connect to: a module, a URL, or a command that starts a server. */
export type Target =
  | { readonly kind: "module"; readonly file: string }
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "command"; readonly command: readonly string[] };

export interface TargetArguments {
  readonly target: Target;
  /** The other arguments, such as the name of a tool. */
  readonly words: readonly string[];
}

/**
 * Separates the target from the other arguments. The target comes first, unless there is a command after `--`.
 * @param names - the names of the other arguments, for messages.
 * @throws {WrongUsage} for a missing or unexpected argument.
 */
export function toTarget(
  words: readonly string[],
  command: readonly string[] | undefined,
  names: readonly string[] = [],
): TargetArguments {
  if (command?.length === 0) throw new WrongUsage("Missing command after --. Example: -- node server.js");
  const expected = command === undefined ? ["target (a module, a URL, or -- command)", ...names] : names;
  const missing = expected[words.length];
  if (missing !== undefined) throw new WrongUsage(`Missing argument: ${missing}.`);
  const unexpected = words[expected.length];
  if (unexpected !== undefined) throw new WrongUsage(`Unexpected argument ${JSON.stringify(unexpected)}.`);
  if (command !== undefined) return { target: { kind: "command", command }, words };
  const [first = "", ...rest] = words;
  const target: Target = /^https?:\/\//i.test(first) ? { kind: "url", url: first } : { kind: "module", file: first };
  return { target, words: rest };
}
