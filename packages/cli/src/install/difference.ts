import type { Styles } from "../terminal/terminal.ts";
import { Text } from "../terminal/text.ts";

const CONTEXT = 3;

/**
 * Formats the lines in which two texts differ, with context. Shows all changes as one block.
 * @param hide - hides the secrets of a line.
 */
export function formatDifference(
  before: string,
  after: string,
  { red, green, dim }: Styles,
  hide: (line: string) => string,
): Text {
  const old = linesOf(before);
  const now = linesOf(after);
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const lines = [
    ...old.slice(Math.max(0, start - CONTEXT), start).map((line) => dim(`  ${hide(line)}`)),
    ...old.slice(start, old.length - end).map((line) => red(`- ${hide(line)}`)),
    ...now.slice(start, now.length - end).map((line) => green(`+ ${hide(line)}`)),
    ...now.slice(now.length - end, now.length - end + CONTEXT).map((line) => dim(`  ${hide(line)}`)),
  ];
  return Text.join(lines, "\n");
}

function linesOf(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split(/\r?\n/);
}
