import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { createProject, type Project, waitForStderr } from "../../cli/test/project.ts";
import { addressOf } from "./address.ts";
import { openPage, type PageClient } from "./page-client.ts";
import { send } from "./raw-http.ts";

let project: Project;

beforeAll(() => {
  project = createProject();
  project.write(
    "tools.ts",
    "/** Adds. @param a - one @param b - two */",
    "export const add = (a: number, b: number): number => a + b;",
    "/** A note. @resource notes://{id} @mimeType text/plain @param id - which */",
    'export const note = (id: string) => "note " + id;',
    "/** Greets. @prompt @param name - whom */",
    'export const greet = (name: string) => "Greet " + name;',
  );
});

afterAll(() => project.remove());

const ADDRESS = /Inspector at (http:\S+)/;

/** Starts the command, and opens its page. */
async function start(...words: string[]): Promise<{ page: PageClient; child: ChildProcess; url: string }> {
  const child = project.start(...words);
  const url = await addressOf(child);
  return { page: await openPage(url), child, url };
}

async function stop(child: ChildProcess): Promise<number | null> {
  child.kill("SIGINT");
  const [code] = await once(child, "exit");
  return code;
}

test("the secret is in the fragment only", async () => {
  const { page, child, url } = await start("inspect", "tools.ts", "--port", "0");
  const { hash, port, search, pathname } = new URL(url);
  expect({ search, pathname }).toEqual({ search: "", pathname: "/" });
  const secret = hash.slice("#k=".length);
  const host = `127.0.0.1:${port}`;
  const headers = { host, "content-type": "application/json" };
  for (const query of [`?k=${secret}`, `?authorization=Bearer%20${secret}`]) {
    const asked = await send(Number(port), { method: "POST", path: `/api/history${query}`, headers, body: "{}" });
    expect(asked.status).toBe(401);
  }
  const cookie = await send(Number(port), {
    method: "POST",
    path: "/api/history",
    headers: { ...headers, cookie: `k=${secret}` },
    body: "{}",
  });
  expect(cookie.status).toBe(401);
  expect(JSON.stringify(page.events)).not.toContain(secret);
  await stop(child);
});

describe("proffer dev --inspect", () => {
  it("shows edits, places and real clients", async () => {
    const { page, child } = await start("dev", "tools.ts", "--http", "0", "--inspect=0");
    const { offer } = await page.until("offer", (event) => event.offer.items.some(({ place }) => place !== undefined));
    expect(offer.files).toContain("tools.ts");
    const source = await page.post("source", { kind: "tool", key: "add" });
    expect(source.places.map(({ pointer }) => pointer)).toContain("/inputSchema/properties/a");
    const { findings } = await page.post("doctor", {});
    expect(findings.length).toBeGreaterThan(0);
    project.write(
      "tools.ts",
      ...project.read("tools.ts").replace("a: number, b", "a: number, c: number, b").split("\n"),
    );
    const { edit } = await page.until("edit");
    expect(edit).toMatchObject({ how: "applied", changes: [{ kind: "tool", key: "add", how: "changed" }] });
    await page.until("offer", (event) => JSON.stringify(event.offer.items).includes('"c"'));
    expect(await stop(child)).toBe(0);
  });

  it("has the findings of doctor, also a resource that cannot be a tool", async () => {
    project.write(
      "clash.ts",
      "/** A day of the log. @resource shop://log/{day} */",
      "export const _log = (day: string): string => day;",
      "/** Writes a line to the log. */",
      "export function log(): void {}",
      "/** Reads the log of today. */",
      "export function read_log(): void {}",
    );
    const { page, child } = await start("dev", "clash.ts", "--http", "0", "--inspect=0");
    await page.until("offer");
    const { findings } = await page.post("doctor", {});
    expect(findings.map(({ code }) => code)).toContain("PF4090");
    await stop(child);
  });

  it("works over stdio: messages on stdout, all text on stderr", async () => {
    const child = project.start("dev", "tools.ts", "--inspect", "0");
    const page = await openPage(await addressOf(child));
    const lines: string[] = [];
    child.stdout?.setEncoding("utf8").on("data", (text: string) => lines.push(...text.split("\n").filter(Boolean)));
    const clientInfo = { name: "someone", version: "7" };
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
    child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
    const { lane } = await page.until("lane", (event) => event.lane.role === "client" && event.lane.name === "someone");
    expect(lane).toMatchObject({ version: "7", transport: "stdio", open: true });
    const { line } = await page.until("line", (event) => event.line.conn === lane.conn && event.line.dir === "in");
    expect(line).toMatchObject({ kind: "result", method: "initialize" });
    await expect.poll(() => lines.map((each) => JSON.parse(each).id)).toEqual([1]);
    child.stdin?.end();
    await once(child, "exit");
  });

  it("is mentioned, and not loaded, without the flag", async () => {
    const child = project.start("dev", "tools.ts", "--http", "0");
    const said = await waitForStderr(child, /--inspect/);
    expect(said).not.toMatch(ADDRESS);
    await stop(child);
    const wrong = project.profferProcess({}, "dev", "tools.ts", "--inspect=x");
    expect(wrong.status).toBe(2);
    expect(wrong.stderr).toContain("--inspect");
  });
});
