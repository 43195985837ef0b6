import { parse, stringify } from "smol-toml";
import type { Edit } from "./edit-json.ts";

/**
 * Edits TOML as text: removes the tables of an entry and appends the new ones, so that comments stay. It does not
 * handle all syntax, such as inline tables; the caller parses the result and compares it with the expected value.
 */
export const editToml: Edit = {
  read: (text) => parse(text),
  write(text, section, name, entry) {
    const rest = withoutTables(text, section, name).trimEnd();
    const added = entry === undefined ? "" : stringify({ [section]: { [name]: entry } }).trim();
    return `${[rest, added].filter((part) => part !== "").join("\n\n")}\n`;
  },
};

function withoutTables(text: string, section: string, name: string): string {
  const kept: string[] = [];
  let isOurs = false;
  let remarks: string[] = [];
  for (const line of text.split("\n")) {
    if (/^\s*\[/.test(line)) {
      // Comments above a table belong to it, not to the table before.
      if (isOurs) kept.push(...remarks);
      isOurs = isTableOf(line, section, name);
      remarks = [];
    }
    if (!isOurs) kept.push(line);
    else if (/^\s*(#|$)/.test(line)) remarks.push(line);
    else remarks = [];
  }
  if (isOurs) kept.push(...remarks);
  return kept.join("\n");
}

function isTableOf(line: string, section: string, name: string): boolean {
  const keys = [...line.matchAll(/"([^"]*)"|'([^']*)'|([A-Za-z0-9_-]+)/g)].map(
    (match) => match[1] ?? match[2] ?? match[3],
  );
  return keys[0] === section && keys[1] === name;
}
