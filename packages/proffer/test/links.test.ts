import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const pages = [
  ...["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "bench/README.md", "examples/seeds.md"],
  ...["packages/proffer/README.md", "packages/cli/README.md"],
  ...readdirSync(join(root, "docs"), { recursive: true }).map((name) => `docs/${name}`),
  ...["examples", "examples/ports"].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => `${folder}/${name}/README.md`),
  ),
].filter((page) => page.endsWith(".md") && existsSync(join(root, page)));

/** The groups of docs/README.md that are read from top to bottom, and the pages among them that are looked up. */
const GUIDES = ["Write a server", "Serve it", "Run it in production"];
const REFERENCES = ["docs/security.md"];

function read(page: string): string {
  return readFileSync(join(root, page), "utf8");
}

/** The links of a page to files of the repository: path, anchor and title. */
function linksOf(page: string) {
  const prose = read(page).replace(/^```[\s\S]*?^```$/gm, "");
  const found = prose.matchAll(/\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]*))?(?: "([^"]*)")?\)/g);
  return [...found].map(([, path = "", anchor, title]) => ({
    target: path === "" ? page : join(dirname(page), path),
    anchor,
    title,
  }));
}

/** The anchors of the headings of a page. */
function anchorsOf(page: string): string[] {
  const headings = read(page).matchAll(/^#+ (.*)$/gm);
  return [...headings].map(([, text = ""]) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

describe.each(pages)("the links of %s", (page) => {
  it("point to existing files and headings", () => {
    const dead = linksOf(page).filter(
      ({ target, anchor }) =>
        !existsSync(join(root, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor)),
    );
    expect(dead).toEqual([]);
  });
});

it("CONTRIBUTING and docs/design name only files that exist", () => {
  const folders = ["packages", "scripts", "fuzz", "zoo/projects"];
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .map((file) => `/${folder}/${file}`)
      .filter((file) => !file.includes("node_modules")),
  );
  const named = pages
    .filter((page) => page === "CONTRIBUTING.md" || page.startsWith("docs/design"))
    .flatMap((page) => [...read(page).matchAll(/`([\w./-]+\.(?:tsx?|mjs|json))`/g)].map(([, file = ""]) => file))
    .filter((file) => !existsSync(join(root, file)));
  expect(named.filter((name) => !files.some((file) => file.endsWith(`/${name}`)))).toEqual([]);
});

it("a page of docs/design has at most 1,500 words", () => {
  const design = pages.filter((page) => page.startsWith("docs/design"));
  expect(design.filter((page) => read(page).split(/\s+/).length > 1500)).toEqual([]);
});

it("a guide has at most 2,000 words", () => {
  const groups = read("docs/README.md")
    .split(/^## /m)
    .filter((part) => GUIDES.includes(part.slice(0, part.indexOf("\n"))));
  const guides = groups
    .flatMap((part) => [...part.matchAll(/^- \[[^\]]+\]\((\S+)\)/gm)].map(([, path = ""]) => join("docs", path)))
    .filter((path) => !REFERENCES.includes(path));
  expect(guides.length).toBeGreaterThan(25);
  expect(guides.filter((page) => read(page).split(/\s+/).length > 2000)).toEqual([]);
});

describe("the table of features in docs/comparison.md", () => {
  it("links a test in each row", () => {
    const [, features = ""] = read("docs/comparison.md").split("## Features\n");
    const [table = ""] = features.trim().split("\n\n");
    const rows = table.split("\n").slice(2);
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.filter((row) => !row.includes("| [test]("))).toEqual([]);
  });
});

it.each(["README.md", "docs/comparison.md"])("the links of %s to tests have titles of existing tests", (page) => {
  const tests = linksOf(page).filter(({ target }) => target.endsWith(".test.ts"));
  expect(tests.length).toBeGreaterThan(0);
  const missing = tests.filter(({ target, title }) => title === undefined || !read(target).includes(title));
  expect(missing).toEqual([]);
});
