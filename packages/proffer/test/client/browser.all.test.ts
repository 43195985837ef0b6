import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { build } from "esbuild";
import { chromium } from "playwright-core";
import type { CallResult } from "proffer";
import type { connect, Notification } from "proffer/client";
import { createNodeHandler } from "proffer/http";
import { expect, it } from "vitest";
import { findChromium } from "../../../inspector/test/chromium.ts";
import { distFile } from "../dist.ts";
import server from "../fixtures/features.ts";
import { EVERY } from "../versions.ts";

const found = findChromium();

it.skipIf(found === undefined)("speaks every revision in Chromium, from a bundle", async () => {
  const env = { ...process.env, ...found?.env } as Record<string, string>;
  const args = ["--no-sandbox", "--disable-dev-shm-usage"];
  const browser = await chromium.launch({ executablePath: found?.path ?? "", args, env });
  const { outputFiles } = await build({
    stdin: {
      contents: 'import { connect } from "./client.js"; globalThis.connectTo = connect;',
      resolveDir: distFile("."),
    },
    bundle: true,
    format: "esm",
    platform: "browser",
    // A server in the same process is another matter.
    external: ["./shared/server-link.js"],
    write: false,
  });
  const handle = createNodeHandler(server);
  const http = createServer((request, response) => {
    if (request.url === "/mcp") return void handle(request, response);
    const isScript = request.url === "/client.js";
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
    response.end(isScript ? outputFiles[0]?.text : '<!doctype html><script type="module" src="/client.js"></script>');
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  try {
    const page = await browser.newPage();
    const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
    await page.goto(origin);
    const seen = await page.evaluate(
      async ([url, revisions]) => {
        // The script of the page sets it.
        const { connectTo } = globalThis as unknown as { connectTo: typeof connect };
        const outcomes: unknown[] = [];
        for (const revision of revisions) {
          const client = await connectTo(url, { revision, answers: [{ name: "Ada" }] });
          const textOf = (result: CallResult) => (result.content[0] as { text: string }).text;
          const text = textOf(await client.call("echo", { text: "ü" }));
          const asked = revision < "2025-06-18" ? null : textOf(await client.call("greet"));
          const changes = await client.listen({ uris: ["features://motto"] });
          const timer = setInterval(() => client.call("touch", { uri: "features://motto" }), 50);
          const { value } = (await changes[Symbol.asyncIterator]().next()) as IteratorYieldResult<Notification>;
          clearInterval(timer);
          const wait = await client
            .call("wait", {}, { signal: AbortSignal.timeout(50) })
            .catch((error: Error) => error.name);
          await client.close();
          outcomes.push([text, asked, value.params.uri, wait]);
        }
        return outcomes;
      },
      [`${origin}/mcp`, EVERY] as const,
    );
    const motto = "features://motto";
    const answered = (revision: string) => (revision < "2025-06-18" ? null : "Hello, Ada!");
    expect(seen).toEqual(EVERY.map((revision) => ["ü", answered(revision), motto, "TimeoutError"]));
  } finally {
    await browser.close();
    http.close().closeAllConnections();
  }
});
