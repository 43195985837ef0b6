import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const pages = [
  ...["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "bench/README.md"],
  ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`),
  ...readdirSync(join(root, "examples")).map((name) => `examples/${name}/README.md`),
].filter((page) => page.endsWith(".md") && existsSync(join(root, page)));

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

/** The anchors that headings get when they are shown. */
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
  it("lead to files and headings that are there", () => {
    const dead = linksOf(page).filter(
      ({ target, anchor }) =>
        !existsSync(join(root, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor)),
    );
    expect(dead).toEqual([]);
  });
});

describe("the table of features in the README", () => {
  const rows = read("README.md")
    .split("\n")
    .filter((line) => line.includes("| [test]("));

  it("names a test for each row", () => {
    const [, features = ""] = read("README.md").split("## What it does for you\n");
    const [table = ""] = features.trim().split("\n\n");
    expect(rows.length).toBeGreaterThan(10);
    expect(table.split("\n").slice(2)).toEqual(rows);
  });

  it("names tests that there are", () => {
    const tests = linksOf("README.md").filter(({ target }) => target.endsWith(".test.ts"));
    expect(tests).toHaveLength(rows.length);
    const missing = tests.filter(({ target, title }) => title === undefined || !read(target).includes(title));
    expect(missing).toEqual([]);
  });
});
