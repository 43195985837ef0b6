import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { accessibilityViolations, describeInBrowser, usePages } from "../packages/inspector/test/browser.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "site/dist");

/** Words of pages that a reader would search for, and a page that the search must offer. */
const SEARCHED = [
  ["maxInFlight", "security"],
  ["elicitation", "questions"],
  ["companion", "tags"],
  ["rateLimit", "middleware"],
  ["Dockerfile", "deploy"],
  ["PROFFER_KEYS", "scaling"],
  ["createFetchHandler", "serving"],
  ["defineSettings", "settings"],
  ["OpenTelemetry", "telemetry"],
  ["bullmq", "redis"],
  ["serverless", "serverless"],
  ["NestJS", "frameworks"],
] as const;

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

/** The rules that the theme of VitePress breaks: the button of the search, and the groups of the side bar. */
const THEME = ["label-content-name-mismatch", "nested-interactive"];

let server: Server;
let address: string;

beforeAll(async () => {
  const { status, stderr } = spawnSync(process.execPath, [join(root, "scripts/site.mjs")], { encoding: "utf8" });
  expect(status, stderr).toBe(0);
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const file = join(dist, decodeURIComponent(pathname).replace(/\/$/, "/index.html"));
    if (!existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "text/plain; charset=utf-8" });
    response.end(readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}, 480_000);
afterAll(() => server?.close());

it("is not built with a dead link: the error names the page and the link", async () => {
  const { toLink } = await import(new URL("pages.mjs", import.meta.url).href);
  const pages = new Set<string>();
  expect(toLink("tools.md", "docs/start.md", pages)).toBe("./tools.md");
  expect(pages).toEqual(new Set(["docs/tools.md"]));
  expect(() => toLink("nowhere.md", "docs/start.md", pages)).toThrow("docs/start.md links to nowhere.md");
});

describeInBrowser("the site", () => {
  const { open } = usePages();

  it("has a page and its Markdown for each guide and reference", () => {
    for (const name of readdirSync(join(root, "docs")).filter((file) => file.endsWith(".md"))) {
      const html = name.replace("README", "index").replace(".md", ".html");
      expect([name, existsSync(join(dist, "docs", html))]).toEqual([name, true]);
      const twin = readFileSync(join(dist, "docs", name.replace("README", "index")), "utf8");
      expect(twin).toBe(readFileSync(join(root, "docs", name), "utf8"));
    }
  });

  it("has no dead link, no missing anchor, no error in the console, and content without violations", async () => {
    const page = await open(`${address}/`);
    const paths = new Set(["/"]);
    const anchors = new Map<string, ReadonlySet<string>>();
    const links: { readonly from: string; readonly path: string; readonly anchor: string }[] = [];
    const violations: string[] = [];
    // The iteration includes pages that are added during it.
    for (const path of paths) {
      const response = await page.request.get(address + path);
      expect([path, response.status()]).toEqual([path, 200]);
      if (response.headers()["content-type"] !== "text/html") continue;
      await page.goto(address + path);
      const found = await page.evaluate<{ ids: string[]; links: string[] }>(`({
        ids: [...document.querySelectorAll("[id]")].map(({ id }) => id),
        links: [...document.querySelectorAll("a[href]")].map(({ href }) => href),
      })`);
      anchors.set(path, new Set(found.ids));
      for (const link of found.links) {
        const { origin, pathname, hash } = new URL(link);
        if (origin !== address) continue;
        links.push({ from: path, path: pathname, anchor: decodeURIComponent(hash.slice(1)) });
        paths.add(pathname);
      }
      violations.push(...(await accessibilityViolations(page, ".vp-doc")).map((text) => `${path} ${text}`));
    }
    expect(links.filter(({ path, anchor }) => anchor !== "" && anchors.get(path)?.has(anchor) === false)).toEqual([]);
    expect(anchors.size).toBeGreaterThan(40);
    expect(violations).toEqual([]);
  }, 480_000);

  it("has the theme's findings around the content, and no others", async () => {
    const page = await open(`${address}/docs/tools.html`);
    const content = await accessibilityViolations(page, ".vp-doc");
    const all = await accessibilityViolations(page);
    const rules = new Set(all.map((text) => text.slice(0, text.indexOf(":"))));
    expect([content, [...rules].sort()]).toEqual([[], THEME]);
  });

  it.each(SEARCHED)("finds %s", async (word, expected) => {
    const page = await open(`${address}/docs/start.html`);
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("searchbox").fill(word);
    await page.locator(`.VPLocalSearchBox .result[href*="/${expected}.html"]`).first().waitFor();
  });

  it("has light and dark, anchors, previous and next, and buttons that copy", async () => {
    const page = await open(`${address}/docs/tools.html`);
    await page.locator(".VPNavBarAppearance button").click();
    expect(await page.locator("html.dark").count()).toBe(1);
    for (const part of [".pager-link.prev", ".pager-link.next", "h2 .header-anchor", "button.copy"]) {
      expect([part, await page.locator(part).count()]).not.toEqual([part, 0]);
    }
    await page.getByRole("link", { name: "This page as Markdown" }).click();
    expect(await page.locator("body").textContent()).toMatch(/^# Tools/);
  });
});
