import type { Count, Noun } from "./split.ts";

/** How the caller gets the rest. */
export interface Ways {
  /** Undefined if the caller cannot call `more`, or nothing is kept. */
  readonly cursor?: string | undefined;
  readonly uri?: string | undefined;
}

const SINGULAR: { readonly [Name in Noun]: string } = {
  lines: "line",
  characters: "character",
  items: "item",
  "content blocks": "content block",
};

/** What a result shows, and how to get the rest. */
export function firstSentence(counts: readonly Count[], ways: Ways, tool: string, isWhole: boolean): string {
  const shown = counts.map(({ noun, to, total }) => `${inWords(to)} of ${inWords(total)} ${noun}`).join(" and ");
  const verb = counts.length === 1 && counts[0]?.to === 1 ? "is" : "are";
  const whole = isWhole ? " The structured content is complete." : "";
  return `${shown === "" ? "" : `${shown} ${verb} shown.`}${whole} ${remedy(ways, tool)}`.trim();
}

/** What a part shows, and how to get the next one. */
export function partSentence({ noun, from, to, total }: Count, ways: Ways, tool: string, isLast: boolean): string {
  const shown =
    from >= to
      ? `${capital(SINGULAR[noun])} ${inWords(from)} of ${inWords(total)} is shown.`
      : `${capital(noun)} ${inWords(from)} to ${inWords(to)} of ${inWords(total)} are shown.`;
  return isLast ? `${shown} This is the last part.` : `${shown} ${remedy(ways, tool)}`;
}

function remedy({ cursor, uri }: Ways, tool: string): string {
  const read = uri === undefined ? undefined : `read ${uri} for all of the rest`;
  if (cursor !== undefined) return `Call more with cursor "${cursor}" for the next part${read ? `, or ${read}` : ""}.`;
  if (read !== undefined) return `${capital(read)}.`;
  return `The rest is not available. Call ${tool} again with arguments that select less.`;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function inWords(count: number): string {
  return count.toLocaleString("en-US");
}
