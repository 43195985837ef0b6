import { defineResource, defineServer, defineTool } from "proffer";
import { serveHttp } from "proffer/http";
import { linkAddress, linkServer } from "../../../packages/cli/src/inspect/server-links.ts";
import { demoEvents, demoHandlers, request, response } from "../../../packages/inspector/test/demo-events.ts";
import { startFakeServer } from "../../../packages/inspector/test/fake-server.ts";
import { inspect } from "../../../packages/inspector/test/page-client.ts";
import { now, timeToPaint } from "../../lib/browser.mjs";

const REVISION = "2026-07-28";
const MESSAGES = 10_000;
const at = (address, path) => address.replace("/#", `${path}#`);

/** A server with a text of 5 MB, a tool that knows its own time, and a resource that changes. */
function createServer() {
  let calls = 0;
  let stock = 0;
  const state = { ownMs: 0 };
  const server = defineServer({
    name: "figures",
    version: "1.0.0",
    log: () => {},
    tools: [
      defineTool({ name: "large", handle: () => `text ${++calls}\n${"one line of a long text\n".repeat(220_000)}` }),
      defineTool({
        name: "slow",
        async handle() {
          const began = performance.now();
          await new Promise((resolve) => setTimeout(resolve, 50));
          state.ownMs = performance.now() - began;
          return "slow";
        },
      }),
    ],
    resources: [defineResource({ uri: "shop://stock", name: "stock", read: () => `stock ${stock}.` })],
  });
  const notify = () => {
    stock++;
    server.notify("shop://stock");
    return `stock ${stock}.`;
  };
  return { server, state, notify };
}

function start(links) {
  return inspect({ links });
}

/** The bytes of the page, and the time from its address to the list of tools. */
export async function measureOpening(page, rounds) {
  const { inspector, close } = await start(linkServer(createServer().server));
  const times = [];
  const bytes = [];
  for (let round = 0; round < rounds; round++) {
    const requests = [];
    const note = (request) => requests.push(request);
    page.on("requestfinished", note);
    const began = now();
    await page.goto(inspector.url);
    await page.getByRole("link", { name: "large" }).first().waitFor();
    times.push(now() - began);
    page.off("requestfinished", note);
    const files = requests.filter((each) => /\/(?:page\.\w+)?$/.test(new URL(each.url()).pathname));
    const sizes = await Promise.all(files.map((each) => each.sizes()));
    bytes.push(sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0) / 1000);
    await page.goto("about:blank");
  }
  await close();
  return [
    { name: "I3 bytes of the page on the wire", unit: "kB", values: bytes, budget: 60 },
    { name: "from the address to the list of tools", unit: "ms", values: times },
  ];
}

/** From the answer with a text of 5 MB to the drawn text, and from the button to all of it. */
export async function measureLargeText(page, rounds) {
  const { inspector, record, close } = await start(linkServer(createServer().server));
  let answered;
  record.observe({
    line({ kind, method }) {
      if (kind === "result" && method === "tools/call") answered = now();
    },
  });
  await page.goto(at(inspector.url, "/tools/large"));
  const call = page.getByRole("button", { name: /^Call/ });
  await call.waitFor();
  const cut = [];
  const whole = [];
  for (let round = 1; round <= rounds; round++) {
    const ms = timeToPaint(page, "figure.long-text", `text ${round}\n`, async () => {
      answered = undefined;
      await call.click();
      while (answered === undefined) await new Promise((resolve) => setTimeout(resolve, 1));
      return answered;
    });
    cut.push(await ms);
    const all = page.getByRole("button", { name: /^show all/ });
    whole.push(await timeToPaint(page, "figure.long-text button", "show less", () => all.dispatchEvent("click")));
    await page.getByRole("button", { name: "show less" }).click();
  }
  await page.goto("about:blank");
  await close();
  return [
    { name: "I31 from an answer of 5 MB to its drawn beginning", unit: "ms", values: cut, budget: 300 },
    { name: "I31 from the button to all of the 5 MB", unit: "ms", values: whole, budget: 300 },
  ];
}

/** The difference between a recorded duration and the time that the handler of the server measures itself. */
export async function measureDurations(_, rounds) {
  const { server, state } = createServer();
  const service = await serveHttp(server, { port: 0 });
  const { page: client, close } = await start(linkAddress(service.url, {}, 1_000_000));
  await client.until("offer");
  const values = [];
  for (let round = 0; round < rounds; round++) {
    const call = await client.call({ revision: REVISION, method: "tools/call", params: { name: "slow" } });
    const { ms } = client.lines().find(({ re }) => re === call.runs[0].line);
    values.push(ms - state.ownMs);
  }
  await close();
  await service.close(0);
  return [{ name: "I40 recorded duration beyond that of the handler", unit: "ms", values, budget: 5 }];
}

/** From a jump to the end of 10,000 messages to the drawn last one. */
export async function measureScrolling(page, rounds) {
  const lines = Array.from({ length: MESSAGES }, (_, n) => {
    const about = `tool-${n - (n % 2)}`;
    return n % 2 === 0 ? request(n + 1, n, "tools/call", { about }) : response(n + 1, n, n, "tools/call", { about });
  });
  const server = await startFakeServer(demoEvents(lines), demoHandlers());
  await page.goto(server.at("/wire"));
  const rows = ".wire-rows tr";
  const scroll = (share) =>
    page.locator(".wire-box").evaluate((box, share) => {
      box.scrollTop = share * box.scrollHeight;
    }, share);
  const values = [];
  for (let round = 0; round < rounds; round++) {
    await timeToPaint(page, rows, "tool-0", () => scroll(0));
    values.push(await timeToPaint(page, rows, `tool-${MESSAGES - 2}`, () => scroll(1)));
  }
  await page.goto("about:blank");
  await server.close();
  return [{ name: "I42 a jump to the end of 10,000 messages", unit: "ms", values, budget: 100 }];
}

/** From notify() of the server to the drawn new content. */
export async function measureUpdates(page, rounds) {
  const { server, notify } = createServer();
  const service = await serveHttp(server, { port: 0 });
  const { inspector, close } = await start(linkAddress(service.url, {}, 1_000_000));
  await page.goto(at(inspector.url, "/resources?uri=shop%3A%2F%2Fstock"));
  await page.getByRole("button", { name: "Subscribe" }).click();
  await page.getByText("stock 0.").first().waitFor();
  const values = [];
  for (let round = 1; round <= rounds; round++) {
    values.push(await timeToPaint(page, '[aria-label="Answer"]', `stock ${round}.`, () => void notify()));
  }
  await page.goto("about:blank");
  await close();
  await service.close(0);
  return [{ name: "I46 from notify() to the drawn content", unit: "ms", values, budget: 200 }];
}
