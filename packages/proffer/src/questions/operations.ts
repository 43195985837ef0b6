import { fingerprint } from "./fingerprint.ts";

/**
 * Identifies the questions and steps of one run by kind, fingerprint and occurrence, so that concurrent branches may
 * replay in any order.
 */
export class Operations {
  readonly #occurrences = new Map<string, number>();

  identify(kind: string, what: string): string {
    const mark = kind + fingerprint(what);
    const nth = this.#occurrences.get(mark) ?? 0;
    this.#occurrences.set(mark, nth + 1);
    return nth === 0 ? mark : `${mark} ${nth}`;
  }
}

/**
 * The key of a step: the same in all runs of a call, for APIs that recognize a repetition by it. Only letters, digits and
 * "-", because such keys often travel in a header.
 */
export function stepKey(chain: string, operation: string): string {
  // After the kind and a space; a fingerprint has the characters from "0" to "O".
  const mark = operation.slice(operation.indexOf(" ") + 1);
  return `${chain}-${mark.replace(/[^0-9A-Z]/g, (char) => (char === " " ? "-" : "abcdefg".charAt(char.charCodeAt(0) - 58)))}`;
}
