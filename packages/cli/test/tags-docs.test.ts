import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { TAG_NAMES } from "../src/derive/comments/check-tags.ts";
import { FUNCTION_TAGS } from "../src/derive/comments/function-tags.ts";
import type { Tag } from "../src/derive/comments/tag.ts";
import { VALUE_TAGS } from "../src/derive/comments/value-tags.ts";

const file = fileURLToPath(new URL("../../../docs/tags.md", import.meta.url));
const HEAD = "| Tag | Describes | Value | Effect | Example |\n|---|---|---|---|---|\n";

function rowOf({ name, aliases = [], on, value, effect, example, repeats }: Tag): string {
  const names = [name, ...aliases].map((each) => `\`@${each}\``).join(", ");
  const accepted = value.expected === "" ? "none" : value.expected;
  const code = `\`${example.replaceAll(/\n(?: \*(?!\/) ?)?/g, " ").replaceAll("|", "\\|")}\``;
  return `| ${names} | ${on.join(", ")} | ${accepted}${repeats ? "; repeatable" : ""} | ${effect} | ${code} |\n`;
}

test("docs/tags.md contains the table of tags; UPDATE=1 rewrites it", () => {
  const [intro = "", ...sections] = readFileSync(file, "utf8").split(HEAD);
  const tables = [FUNCTION_TAGS, VALUE_TAGS].map((tags) => HEAD + tags.map(rowOf).join(""));
  const texts = sections.map((section) => section.replace(/^(?:\|.*\n)*/, ""));
  const page = [intro, ...tables.map((table, index) => table + texts[index])].join("");
  if (process.env.UPDATE === "1") writeFileSync(file, page);
  expect(readFileSync(file, "utf8")).toBe(page);
});

test("no two tags have the same name", () => {
  expect(new Set(TAG_NAMES.map((name) => name.toLowerCase())).size).toBe(TAG_NAMES.length);
});
