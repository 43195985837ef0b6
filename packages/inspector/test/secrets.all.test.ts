import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createProject, type Project } from "../../cli/test/project.ts";
import { addressOf, routeOf } from "./address.ts";
import { describeInBrowser, usePages } from "./browser.ts";

const TOKEN = "tok-5f1e9c77a2";
const HEADERS = { authorization: `Bearer ${TOKEN}`, "x-tenant": "tenant-4711-secret" };

interface Echo {
  readonly url: string;
  close(): void;
}

/** A server that repeats the headers of each request in its results, and refuses requests without them. */
async function startEcho(): Promise<Echo> {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const { id, method, params } = JSON.parse(body || "{}");
    if (request.headers.authorization !== HEADERS.authorization) {
      response.writeHead(401).end();
      return;
    }
    const text = JSON.stringify(request.headers);
    const results: { readonly [method: string]: object } = {
      "server/discover": { supportedVersions: ["2026-07-28"], capabilities: { tools: {} }, instructions: text },
      "tools/list": { tools: [{ name: "echo", description: text, inputSchema: { type: "object" } }] },
      "tools/call": { content: [{ type: "text", text }], resultType: "complete" },
    };
    const result = results[method];
    const error = { code: -32601, message: `${method} is unknown: ${text}` };
    response.setHeader("content-type", "application/json").setHeader("set-cookie", "session=cookie-secret-1");
    response.end(JSON.stringify({ jsonrpc: "2.0", id, ...(result ? { result } : { error }), params }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

describeInBrowser("secrets of the command line", () => {
  let echo: Echo;
  let project: Project;

  beforeAll(async () => {
    echo = await startEcho();
    project = createProject();
  });
  afterAll(() => {
    project.remove();
    echo.close();
  });
  const pages = usePages();

  test("they occur nowhere in the page, in the responses to it, in its history, in its export and in the terminal", async () => {
    const flags = Object.entries(HEADERS).flatMap(([name, value]) => ["--header", `${name}: ${value}`]);
    const child = project.start("inspect", echo.url, "--port", "0", ...flags);
    /** Everything that anybody could see. */
    const seen: string[] = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => seen.push(String(chunk)));
    const address = await addressOf(child);
    const page = await pages.open(routeOf(address, "/tools/echo"));
    const got: Promise<string>[] = [];
    page.on("response", (response) => {
      if (!response.url().endsWith("/api/events")) got.push(response.text());
    });
    const look = async () => seen.push(await page.content());

    await page.getByRole("button", { name: /^Call/ }).click();
    await page.getByRole("region", { name: "Answer" }).getByText("***").first().waitFor();
    await look();
    await page.getByRole("tab", { name: "Schema" }).click();
    await page.getByRole("tree", { name: "Input schema" }).waitFor();
    await look();
    const messages = page.getByRole("table", { name: "Messages" });
    for (const name of ["server/discover", "tools/list", "tools/call echo"]) {
      await messages.getByRole("link", { name }).first().click();
      for (const side of ["Message", "Response"]) {
        const region = page.getByRole("region", { name: side });
        await region.getByRole("tab", { name: "Raw" }).click();
        await look();
        await region.getByRole("tab", { name: "HTTP" }).click();
        await region.getByText("***").first().waitFor();
        await look();
      }
    }
    await page.getByRole("link", { name: "History", exact: true }).click();
    await page.getByRole("table").filter({ hasText: "Actions" }).getByRole("link", { name: "echo" }).click();
    await page.getByRole("button", { name: "Run again" }).waitFor();
    await look();
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export .jsonl" }).click();
    const exported = readFileSync(await (await downloading).path(), "utf8");
    expect(exported).toContain('"authorization":"***"');
    seen.push(exported, await eventsOf(page, address), ...(await Promise.all(got)));
    seen.push(await page.evaluate<string>("JSON.stringify([{ ...sessionStorage }, { ...localStorage }])"));

    const all = seen.join("\n");
    expect(all).toContain('"kind":"ready"');
    for (const secret of [TOKEN, HEADERS["x-tenant"], "cookie-secret-1"]) {
      expect(all.includes(secret), secret).toBe(false);
    }
  });
});

/** Everything that a new stream of events begins with: the offer, the wire, the calls. */
function eventsOf(page: Page, address: string): Promise<string> {
  return page.evaluate(async (secret) => {
    const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
    const { body } = await fetch("/api/events", { method: "POST", headers, body: "{}" });
    let text = "";
    for (const reader = body?.pipeThrough(new TextDecoderStream()).getReader(); reader && !text.includes('"ready"'); ) {
      text += (await reader.read()).value ?? "";
    }
    return text;
  }, new URL(address).hash.slice("#k=".length));
}
