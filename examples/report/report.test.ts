import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { load } from "@proffer/cli";
import { connect, connectOver, type Link, type TestClient } from "proffer/testing";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { linkHttp } from "../../packages/proffer/test/http/http-link.ts";
import { describeWithEngine, sharedEngine } from "../../packages/proffer/test/ports/engine.ts";
import { type HttpProcess, serveOverHttp } from "../links.ts";

const engine = await sharedEngine();
const folder = mkdtempSync(join(tmpdir(), "proffer-report-"));
const clients: TestClient[] = [];

process.env.REPORT_PACE = "5";
process.env.REPORT_BILL = join(folder, "bill.txt");
const server = await load(new URL("./server.ts", import.meta.url));

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  rmSync(join(folder, "bill.txt"), { force: true });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function open(options: Parameters<typeof connect>[1] = {}): Promise<TestClient> {
  const client = await connect(server, options);
  clients.push(client);
  return client;
}

interface Query {
  readonly month: string;
  readonly key: string;
  readonly pid: number;
}

/** The queries that the warehouse billed. */
function bill(name = "bill.txt"): Query[] {
  try {
    const lines = readFileSync(join(folder, name), "utf8").trim().split("\n");
    return lines.map((line) => {
      const [month = "", key = "", pid] = line.split(" ");
      return { month, key, pid: Number(pid) };
    });
  } catch {
    return [];
  }
}

const MONTHS = Array.from({ length: 12 }, (_, index) => `2025-${String(index + 1).padStart(2, "0")}`);
const REPORT = { year: 2025, orders: expect.any(Number), euros: expect.any(Number), best: expect.any(String) };

/** Each month was billed, and a month that was billed again had the same key. Returns the months billed again. */
function checkBill(queries: readonly Query[]): string[] {
  const months = queries.map(({ month }) => month);
  expect([...new Set(months)].sort()).toEqual(MONTHS);
  expect(new Set(queries.map(({ key }) => key)).size).toBe(12);
  return months.filter((month, index) => months.indexOf(month) !== index);
}

async function undisturbed(): Promise<unknown> {
  const client = await open({ answers: [{ leaveOut: true }] });
  return (await client.call("salesReport", { year: 2025 })).structuredContent;
}

describe("salesReport", () => {
  it("is a task that shows its progress, asks in the middle and bills each month once", async () => {
    const client = await open({ answers: [{ leaveOut: true }] });
    const statuses: string[] = [];
    const onTask = (task: { status: string }) => statuses.push(task.status);
    const { structuredContent } = await client.call("salesReport", { year: 2025 }, { onTask });
    expect(structuredContent).toEqual({ ...REPORT, leftOut: expect.arrayContaining([expect.any(String)]) });
    expect(statuses).toContain("input_required");
    expect(checkBill(bill())).toEqual([]);
  });

  it.each(["2025-06-18", "2025-11-25", "2026-07-28"])("is an ordinary call without tasks on %s", async (revision) => {
    const capabilities = { elicitation: { form: {} } };
    const answers = () => "decline" as const;
    const client = await open({ revision, capabilities, answers });
    const { structuredContent } = await client.call("salesReport", { year: 2025 });
    expect(structuredContent).toEqual({ ...REPORT, leftOut: [] });
    expect(checkBill(bill())).toEqual([]);
  });

  it("refuses at once a client that cannot ask its user, and a year out of range", async () => {
    const mute = await open({ capabilities: {} });
    await expect(mute.call("salesReport", { year: 2025 })).rejects.toMatchObject({ code: -32021 });
    const client = await open();
    expect(await client.call("salesReport", { year: 1 })).toMatchObject({ isError: true });
    expect(bill()).toEqual([]);
  });

  it("continues after a crash with the months that it has read", async () => {
    const expected = await undisturbed();
    rmSync(join(folder, "bill.txt"));
    const client = await open();
    const task = await client.startTask("salesReport", { year: 2025 });
    await expect.poll(() => bill().length, { interval: 1 }).toBeGreaterThanOrEqual(3);
    await client.crash();
    await task.answer({ leaveOut: true });
    await client.crash();
    expect((await task.result()).structuredContent).toEqual(expected);
    expect(checkBill(bill()).length).toBeLessThanOrEqual(2);
  });
});

describeWithEngine("salesReport on two nodes with a Redis", engine, ({ port }) => {
  const nodes: HttpProcess[] = [];
  afterAll(() => Promise.all(nodes.map((node) => node.close())));

  async function startNode(): Promise<void> {
    const node = await serveOverHttp(fileURLToPath(new URL("./node.ts", import.meta.url)), {
      REPORT_REDIS_PORT: String(port),
      REPORT_PREFIX: `report-${process.pid}`,
      REPORT_PACE: "150",
      REPORT_BILL: join(folder, "cluster.txt"),
    });
    nodes.push(node);
  }

  /** Sends to one node. `crash` kills the node that works on the report, and sends to the other one. */
  function linkNodes(): Link {
    return (receive, events) => {
      let link = linkHttp(nodes[0]?.url ?? "")(receive, events);
      return {
        send: (text) => link.send(text),
        close: () => link.close(),
        async crash() {
          const { pid } = bill("cluster.txt").at(-1) as Query;
          await nodes.find((node) => node.pid === pid)?.kill();
          link = linkHttp(nodes.find((node) => node.pid !== pid)?.url ?? "")(receive, events);
        },
      };
    };
  }

  it("finishes elsewhere after kill -9, with the same results and without a month read again", async () => {
    const expected = await undisturbed();
    await startNode();
    await startNode();
    const client = await connectOver(linkNodes());
    const task = await client.startTask("salesReport", { year: 2025 });
    await expect.poll(() => bill("cluster.txt").length, { interval: 20 }).toBeGreaterThanOrEqual(3);
    await client.crash();
    await task.answer({ leaveOut: true });
    expect((await task.result()).structuredContent).toEqual(expected);
    const queries = bill("cluster.txt");
    expect(checkBill(queries).length).toBeLessThanOrEqual(1);
    // One node began it, and the other one finished it.
    expect(new Set(queries.map(({ pid }) => pid)).size).toBe(2);
    await client.close();
  });
});
