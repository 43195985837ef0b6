import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
/** The pages that VitePress compiles, and the files beside it. */
const PAGES = fileURLToPath(new URL("pages", import.meta.url));
const PUBLIC = fileURLToPath(new URL("public", import.meta.url));

const IMAGE = /\.(?:png|svg|jpg|webp)$/;
const FENCE = /(^```[\s\S]*?^```$)/gm;
const LINK = /(\]\()(?![a-z]+:|#)([^)#\s]+)/g;

/**
 * Writes the README and all pages that it leads to into site/pages, at their places in the repository, and the other files
 * that they link into site/public. Returns the paths of the pages.
 */
export function writePages() {
  for (const folder of [PAGES, PUBLIC]) rmSync(folder, { recursive: true, force: true });
  const pages = new Set(["README.md"]);
  // The iteration includes pages that are added during it.
  for (const page of pages) writePage(page, pages);
  return [...pages].map(pathOf);
}

function writePage(page, pages) {
  const text = readFileSync(join(root, page), "utf8");
  const parts = text.split(FENCE).map((part) => (part.startsWith("```") ? part : withLinks(part, page, pages)));
  write(join(PAGES, pathOf(page)), parts.join(""));
  // Its Markdown is beside each page.
  write(join(PUBLIC, pathOf(page)), text);
}

/** The text of a page, with its links as they are on the site. */
function withLinks(text, page, pages) {
  return text
    .replace(LINK, (_, start, link) => start + toLink(link, page, pages))
    .replace(/((?:src|srcset)=")(?![a-z]+:)([^"]+)/g, (_, start, link) => start + toLink(link, page, pages));
}

/** A link as it is on the site. @throws for a dead one */
export function toLink(link, page, pages) {
  const path = join(dirname(page), link).replace(/\/$/, "/README.md");
  const file = join(root, path);
  if (!existsSync(file) || !statSync(file).isFile()) {
    throw new Error(`${page} links to ${link}, which is no file. Link to a file.`);
  }
  if (path.endsWith(".md")) {
    pages.add(path);
    return relativeTo(page, pathOf(path));
  }
  if (IMAGE.test(path)) {
    for (const folder of [PAGES, PUBLIC]) write(join(folder, path), readFileSync(file));
    return relativeTo(page, path);
  }
  // Servers send source files under types that browsers do not show.
  const name = path.endsWith(".txt") ? path : `${path}.txt`;
  write(join(PUBLIC, name), readFileSync(file));
  return `/${name}`;
}

function pathOf(page) {
  return page.replace(/(^|\/)README\.md$/, "$1index.md");
}

function relativeTo(page, path) {
  const link = relative(dirname(pathOf(page)), path);
  return link.startsWith(".") ? link : `./${link}`;
}

function write(file, content) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}
