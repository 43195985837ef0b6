import { createTwoFilesPatch } from "diff";
import { unifyNewlines } from "./lines.ts";

export interface Edit {
  /** The text to replace, exactly as it is in the file. */
  oldText: string;
  /** The new text. */
  newText: string;
}

/** Applies edits one after the other. @throws {Error} if the text of an edit does not occur. */
export function applyEdits(original: string, edits: readonly Edit[]): string {
  return edits.reduce(applyEdit, unifyNewlines(original));
}

/** Returns the difference in the format of git, as a code block. */
export function describeChange(path: string, before: string, after: string): string {
  const patch = createTwoFilesPatch(path, path, before, after, "original", "modified");
  const runs = [...patch.matchAll(/`+/g)].map(([run]) => run.length);
  const fence = "`".repeat(Math.max(3, ...runs.map((length) => length + 1)));
  return `${fence}diff\n${patch}${fence}\n\n`;
}

function applyEdit(text: string, { oldText, newText }: Edit): string {
  const [before, after] = [unifyNewlines(oldText), unifyNewlines(newText)];
  if (text.includes(before)) return text.replace(before, () => after);
  const wanted = before.split("\n");
  const lines = text.split("\n");
  const start = findLines(lines, wanted);
  if (start === undefined) throw new Error(`Could not find exact match for edit:\n${oldText}`);
  lines.splice(start, wanted.length, ...indentLike(lines[start] as string, wanted, after.split("\n")));
  return lines.join("\n");
}

/** Finds lines that differ only in the space around them; models often get the indentation wrong. */
function findLines(lines: readonly string[], wanted: readonly string[]): number | undefined {
  for (let start = 0; start <= lines.length - wanted.length; start++) {
    if (wanted.every((line, at) => line.trim() === lines[start + at]?.trim())) return start;
  }
  return undefined;
}

/** Moves the new lines to the indentation in the file, and keeps how far they are indented from the old ones. */
function indentLike(found: string, before: readonly string[], after: readonly string[]): string[] {
  const base = indentOf(found);
  return after.map((line, at) => {
    if (at === 0) return base + line.trimStart();
    const [from, to] = [indentOf(before[at] ?? ""), indentOf(line)];
    if (from === "" || to === "") return line;
    return base + " ".repeat(Math.max(0, to.length - from.length)) + line.trimStart();
  });
}

function indentOf(line: string): string {
  return /^\s*/.exec(line)?.[0] ?? "";
}
