import { WrongUsage } from "../terminal/command-error.ts";

/** A server to talk to: a module, a URL, or a command that starts one. */
export type Target =
  | { readonly kind: "module"; readonly file: string }
  | { readonly kind: "url"; readonly url: string }
  | { readonly kind: "command"; readonly command: readonly string[] };

export interface Addressed {
  readonly target: Target;
  /** The other words, such as the name of a tool. */
  readonly words: readonly string[];
}

/**
 * Tells the target from the other words: it comes first, unless a command was given.
 * @param wanted - how many other words there must be.
 * @throws {WrongUsage} if there are more or fewer.
 */
export function toTarget(words: readonly string[], command: readonly string[] | undefined, wanted: number): Addressed {
  const total = command === undefined ? wanted + 1 : wanted;
  if (command?.length === 0) throw new WrongUsage("there is no command after --; name one: -- node server.js");
  if (words.length !== total) {
    const excess = words.slice(total).map((word) => JSON.stringify(word));
    throw new WrongUsage(
      excess.length > 0 ? `${excess.join(" and ")} is too much.` : "a target is missing, or what to do with it.",
    );
  }
  if (command !== undefined) return { target: { kind: "command", command }, words };
  const [first = "", ...rest] = words;
  const target: Target = /^https?:\/\//i.test(first) ? { kind: "url", url: first } : { kind: "module", file: first };
  return { target, words: rest };
}
