import { networkInterfaces } from "node:os";
import type { Page, Response } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { REQUEST_SHAPES } from "../src/routes.ts";
import { describeInBrowser, usePages } from "./browser.ts";
import { demoEvents, demoHandlers } from "./demo-events.ts";
import { type FakeServer, startFakeServer } from "./fake-server.ts";
import { type Stranger, startStranger } from "./stranger.ts";

const API = [...Object.keys(REQUEST_SHAPES), "events", "nothing"].map((name) => `/api/${name}`);
const EVERY_PATH = ["/", "/page.js", "/page.css", "/tools/order", "/nothing", ...API];
/** A name of the attacker that resolves to this machine. */
const REBOUND = "rebind.example";

describeInBrowser("the inspector and pages of strangers", () => {
  let server: FakeServer;
  let stranger: Stranger;
  let secret: string;

  beforeAll(async () => {
    server = await startFakeServer(demoEvents(), demoHandlers());
    stranger = await startStranger();
    secret = new URL(server.url).hash.slice("#k=".length);
  });
  afterAll(async () => {
    stranger.close();
    await server.close();
  });
  beforeEach(() => {
    server.requests.length = 0;
  });
  const pages = usePages([`--host-resolver-rules=MAP ${REBOUND} 127.0.0.1`]);

  /** The console says each refusal. */
  const expectStatus = (status: string) =>
    pages.expectProblem(
      new RegExp(`^console: Failed to load resource: the server responded with a status of ${status}$`),
    );

  /** Sends requests from the document of a page, and returns their statuses. */
  function statuses(page: Page, paths: readonly string[], requests: readonly RequestInit[]): Promise<number[]> {
    return page.evaluate(
      async ([paths, requests]) => {
        const statuses: number[] = [];
        for (const path of paths) {
          for (const request of requests) statuses.push((await fetch(path, request)).status);
        }
        return statuses;
      },
      [paths, requests] as const,
    );
  }

  const bearer = (value: string): RequestInit => ({
    method: "POST",
    body: "{}",
    headers: { authorization: value, "content-type": "application/json" },
  });

  test("a name that resolves to this machine is refused on every route", async () => {
    expectStatus("403 \\(Forbidden\\)");
    pages.expectProblem(
      /^console: The Cross-Origin-Opener-Policy header has been ignored, because the URL's origin was/,
    );
    const { port } = new URL(server.origin);
    for (const name of [REBOUND, "inspector.localhost"]) {
      const page = await pages.open(`http://${name}:${port}/tools/order#k=${secret}`);
      expect(await page.textContent("body")).toContain("The header Host is not that of the inspector's own page.");
      // For the browser, the inspector is of the same origin: only the inspector sees the difference.
      const requests = [{ method: "GET" }, { method: "POST", body: "{}" }, bearer(`Bearer ${secret}`)];
      const refused = await statuses(page, EVERY_PATH, requests);
      expect(refused).toEqual(Array(EVERY_PATH.length * requests.length).fill(403));
    }
    expect(server.requests).toEqual([]);
    const own = await pages.open(`http://localhost:${port}/#k=${secret}`);
    await own.getByRole("link", { name: "order" }).first().waitFor();
  });

  test("a page with a wrong secret shows nothing and gets nothing", async () => {
    expectStatus("401 \\(Unauthorized\\)");
    const page = await pages.open(`${server.origin}/tools/order#k=${secret.slice(1)}A`);
    await page.getByRole("heading", { name: "This page is of an earlier start" }).waitFor();
    expect(await page.getByRole("link").count()).toBe(0);
    const wrong = ["", "Bearer", `Bearer ${secret}x`, secret, `Basic ${secret}`].map(bearer);
    const refused = await statuses(page, API, [...wrong, { method: "POST", body: "{}" }]);
    expect(refused).toEqual(Array(API.length * 6).fill(401));
    expect(server.requests).toEqual([]);
    expect(await statuses(page, ["/api/history"], [bearer(`Bearer ${secret}`)])).toEqual([200]);
  });

  test.each([
    ["another port", "127.0.0.1", "same-site"],
    ["another name of this machine", "localhost", "cross-site"],
    ["a foreign name that resolves to this machine", REBOUND, "cross-site"],
  ])("a page of %s can neither read nor call anything", async (_, host, site) => {
    const origin = server.origin.replaceAll(".", "\\.");
    for (const problem of [
      `foreign request: ${origin}/.*`,
      `console: Access to .* at '${origin}/.*' from origin '.*' has been blocked by CORS policy: .*`,
      "console: Failed to load resource: net::ERR_(?:FAILED|BLOCKED_BY_RESPONSE\\.NotSameOrigin)",
      "console: Failed to load resource: the server responded with a status of 403 \\(.*\\)",
      `console: WebSocket connection to 'ws:.*' failed: .* Unexpected response code: 403`,
      `console: Framing '${origin}/' violates .* "frame-ancestors 'none'"\\. The request has been blocked\\.\n`,
    ]) {
      pages.expectProblem(new RegExp(`^${problem}$`));
    }
    const page = await pages.open(`http://${host}:${stranger.port}/`);
    const shown: Response[] = [];
    page.context().on("response", (response) => {
      if (response.url().startsWith(server.origin)) shown.push(response);
    });
    const reports = await page.evaluate<Record<string, string>>(`attack("${server.origin}", "${secret}")`);
    expect(new Set(Object.values(reports)), JSON.stringify(reports)).toEqual(new Set(["nothing"]));
    expect(Object.keys(reports).length).toBeGreaterThan(15);

    const opening = page.context().waitForEvent("page");
    await page.evaluate(`self.opened = open("${server.origin}/tools/order#k=${secret}")`);
    const opened = await opening;
    await opened.waitForLoadState();
    expect(await opened.textContent("body")).toContain("is not that of the inspector's own page.");
    expect(await page.evaluate("look(opened)")).toBe("nothing");

    // The browser hides the responses to the others from everybody.
    expect(shown.length).toBeGreaterThanOrEqual(4);
    for (const response of shown) {
      expect([response.status(), (await response.request().allHeaders())["sec-fetch-site"]]).toEqual([403, site]);
    }
    expect(server.requests).toEqual([]);
  });

  test("the page is at 127.0.0.1 and at no other address of this machine", async () => {
    const { port } = new URL(server.origin);
    const addresses = Object.values(networkInterfaces()).flatMap((all = []) => all);
    const others = addresses.filter(({ address }) => address !== "127.0.0.1" && !address.startsWith("fe80:"));
    const page = await pages.open(server.url);
    await page.getByRole("link", { name: "order" }).first().waitFor();
    for (const { address, family } of others) {
      const host = family === "IPv6" ? `[${address}]` : address;
      const other = await page.context().newPage();
      await expect(other.goto(`http://${host}:${port}/`), host).rejects.toThrow(/net::ERR_(?:CONNECTION|ADDRESS)_/);
    }
  });
});
