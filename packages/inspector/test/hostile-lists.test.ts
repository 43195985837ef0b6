import { afterEach, describe, expect, it, vi } from "vitest";
import type { Offer } from "../src/protocol/data.ts";
import { openForeignLinks } from "./foreign-link.ts";
import { inspect } from "./page-client.ts";
import { createTestHost } from "./test-host.ts";

const REVISION = "2026-07-28";

let close: (() => Promise<void>) | undefined;

afterEach(() => close?.());

/** Inspects a server that lists these tools. */
async function inspectTools(tools: readonly object[]) {
  const links = openForeignLinks({
    "server/discover": () => `{"supportedVersions":["${REVISION}"],"capabilities":{"tools":{}}}`,
    "tools/list": () => JSON.stringify({ tools }),
  });
  const started = await inspect({ links, target: { kind: "command", name: "hostile" } });
  close = started.close;
  await started.page.until("offer");
  return started;
}

const many = <Value>(length: number, make: (n: number) => Value) => Array.from({ length }, (_, n) => make(n));

/** A tool that is hard to tell apart from the others of its kind. */
const similar = (n: number, kind = "order") => ({
  name: `find${n}`,
  description: `Finds any ${kind} by the name of its customer.`,
  inputSchema: { type: "object", properties: {} },
});

const withProperties = (count: number) => ({ properties: Object.fromEntries(many(count, (n) => [`p ${n}`, {}])) });

describe("the checks of a server that lists thousands of tools", () => {
  it("look at some of them, and say so", async () => {
    const { page } = await inspectTools([
      ...many(500, (n) => similar(n)),
      ...many(19_500, (n) => similar(500 + n, "invoice")),
    ]);
    const { findings } = await page.post("doctor", {});
    expect(findings[0]?.message).toBe("Only 500 of 10000 items were examined, because the lists are so large.");
    // A comparison of all would find the others, too.
    const pairs = findings.filter(({ code }) => code === "PF4020");
    expect(pairs.at(-1)?.message).toBe(`${(500 * 499) / 2 - 20} more pairs of tools are hard to tell apart.`);
    expect(JSON.stringify(findings)).not.toContain("find500");
  });

  it("stop at a size, and show a part of the findings", async () => {
    const { page } = await inspectTools([
      { ...similar(1), inputSchema: withProperties(3000) },
      { ...similar(2), description: "x".repeat(1_020_000) },
      { ...similar(3), description: "x".repeat(1_050_000) },
    ]);
    const { findings } = await page.post("doctor", {});
    expect(findings).toHaveLength(5002);
    expect(findings.slice(0, 2).map(({ message }) => message)).toEqual([
      "Only 1 of 2 items were examined, because the lists are so large.",
      expect.stringMatching(/^Only the first 5000 of 6\d{3} findings are shown\.$/),
    ]);
    const { offer } = await page.until("offer");
    expect(offer.problems).toEqual([
      expect.stringMatching(/^A tool has \d+ bytes, more than 1 MiB, and is not shown\.$/),
    ]);
  });

  it.each([
    ["doctor", (offer: Offer) => createTestHost({}).findProblems(offer)],
    ["the view of a client", (offer: Offer) => createTestHost({}).profiles.find("codex")?.viewTools(offer)],
  ])("let other requests pass after each tool: %s", async (_, check) => {
    const { page } = await inspectTools(many(400, (n) => similar(n)));
    const { offer } = await page.until("offer");
    let turns = 0;
    let isOver = false;
    const turn = () => void (++turns && !isOver && setImmediate(turn));
    turn();
    await check(offer);
    isOver = true;
    expect(turns).toBeGreaterThanOrEqual(400);
  });
});

it("a message is checked after it was recorded, in a turn of its own", async () => {
  const { page, record } = await inspectTools([similar(1)]);
  const get = vi.spyOn(record, "get");
  const text = '{"jsonrpc":"2.0","method":"m","params":{"a":1,"a":2}}';
  const lines = many(100, () => record.add({ conn: "other", dir: "in", text }));
  expect(get).not.toHaveBeenCalled();
  await page.until("findings", ({ findings }) => findings.some(({ line }) => line === lines[0]?.n));
  await expect.poll(() => get.mock.calls.length).toBeGreaterThanOrEqual(100);
});
