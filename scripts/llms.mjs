// Makes llms.txt and llms-full.txt from the README and the docs, for models that read about Proffer: https://llmstxt.org
// `node scripts/llms.mjs` writes llms.txt; `--check` exits with code 1 if it is not up to date; `--whole` prints llms-full.txt,
// which `npm run build` writes.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = new URL("../", import.meta.url);

/** The parts of the list of pages that llms-full.txt leaves out. */
const LEFT_OUT = ["Examples", "How Proffer is verified", "Project"];

const readme = read("README.md");

/** Writes llms-full.txt, which is built and not committed. */
export function writeWhole() {
  writeFileSync(new URL("llms-full.txt", root), makeWhole());
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes("--whole")) process.stdout.write(makeWhole());
  else if (!process.argv.includes("--check")) writeFileSync(new URL("llms.txt", root), makeIndex());
  else if (readOrNothing("llms.txt") !== makeIndex()) {
    console.error("llms.txt is not up to date. Run node scripts/llms.mjs.");
    process.exitCode = 1;
  }
}

/** Makes the list of pages, with the first sentence of each. */
function makeIndex() {
  const parts = pageGroups().map(({ title, pages }) => {
    const lines = pages.map(
      ({ name, path }) => `- [${name}](${path})${path.endsWith(".md") ? `: ${summaryOf(path)}` : ""}`,
    );
    return `## ${title}\n\n${lines.join("\n")}\n`;
  });
  const intro = `> ${toLine(introduction())}\n\nEverything in one file: llms-full.txt, written by "npm run build".\n`;
  return [`# Proffer\n`, intro, ...parts].join("\n");
}

/** Joins the README and the pages for users. */
function makeWhole() {
  const pages = pageGroups()
    .filter(({ title }) => !LEFT_OUT.includes(title))
    .flatMap(({ pages }) => pages);
  const [start = ""] = readme.split(/^## In figures$/m);
  return `${[start, ...pages.map(({ path }) => `<!-- ${path} -->\n\n${withLinks(path)}`)]
    .map((text) => text.trimEnd())
    .join("\n\n")}\n`;
}

/** Returns a page with links that are relative to the root. */
function withLinks(path) {
  return read(path).replaceAll(/\]\((?![a-z]+:)([^)\s]+)/g, (_, link) => {
    const { pathname, hash } = new URL(link, `file:///${path}`);
    return `](${pathname.slice(1)}${hash}`;
  });
}

/** Reads the list of pages, docs/README.md: titles, each with its links, relative to the root. */
export function pageGroups() {
  return read("docs/README.md")
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const links = part.matchAll(/^- \[([^\]]+)\]\(([^)\s]+)\)/gm);
      const pages = [...links].map(([, name, path]) => ({ name, path: join("docs", path).replaceAll("\\", "/") }));
      return { title: part.slice(0, part.indexOf("\n")), pages };
    });
}

function introduction() {
  const [, first = ""] = readme.split("\n\n");
  return first.replaceAll("**", "");
}

/** Returns the first sentence of a page, as text. */
function summaryOf(path) {
  const paragraphs = read(path).split("\n\n").slice(1);
  const prose = paragraphs.find((text) => /^[\p{L}*`[]/u.test(text)) ?? "";
  const [sentence = ""] = toLine(prose).split(/(?<=[.:])\s(?=[\p{Lu}`])/u, 1);
  return sentence
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1")
    .replaceAll("**", "")
    .replace(/:$/, ".");
}

function toLine(text) {
  return text.replaceAll(/\s+/g, " ").trim();
}

function read(path) {
  return readFileSync(fileURLToPath(new URL(path, root)), "utf8");
}

function readOrNothing(path) {
  try {
    return read(path);
  } catch {
    return undefined;
  }
}
