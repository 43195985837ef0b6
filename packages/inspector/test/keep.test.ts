import { once } from "node:events";
import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createProject, type Project } from "../../cli/test/project.ts";
import { addressOf } from "./address.ts";
import { openPage } from "./page-client.ts";

let project: Project;

beforeAll(() => {
  project = createProject();
  project.write("tools.ts", "/** Adds. */", "export const add = (a: number, b: number): number => a + b;");
});
afterAll(() => project.remove());

const COMMAND = ["--", process.execPath, "node_modules/proffer/dist/bin.js", "serve", "tools.ts"];

/** The settings of a user of this test. */
function settings(): { readonly env: Record<string, string>; readonly folder: string } {
  const home = project.path("home");
  return {
    env: { HOME: home, USERPROFILE: home, LOCALAPPDATA: join(home, ".config") },
    folder: join(home, ".config/proffer/inspector"),
  };
}

async function callOnce(...flags: string[]): Promise<{ readonly said: string; readonly before: number }> {
  const child = project.startWith({ env: settings().env }, "inspect", "--port", "0", ...flags, ...COMMAND);
  let said = "";
  child.stderr?.on("data", (chunk) => {
    said += chunk;
  });
  const page = await openPage(await addressOf(child));
  const { entries } = await page.post("history", {});
  await page.until("connection", ({ connection }) => connection.state === "connected");
  const params = { name: "add", arguments: { a: 19, b: 23 } };
  await page.call({ revision: "2026-07-28", method: "tools/call", params });
  page.close();
  child.kill("SIGINT");
  await once(child, "exit");
  return { said, before: entries.length };
}

test("--keep keeps the history of a command for its next start, and says where", async () => {
  project.write("home/.keep", "");
  const { folder } = settings();
  expect((await callOnce()).before).toBe(0);
  expect(existsSync(folder)).toBe(false);
  const first = await callOnce("--keep");
  expect(first.before).toBe(0);
  const [name = ""] = readdirSync(folder);
  const file = join(folder, name, "history.jsonl");
  expect(first.said).toContain(`The history is kept in ${file}.`);
  // Neither the name nor the file contains the command, which may hold a secret.
  expect(name).toMatch(/^[0-9a-f]{16}$/);
  expect(readFileSync(file, "utf8")).not.toContain("bin.js");
  if (process.platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);
  // Those of an earlier release were open to others.
  const folders = [dirname(folder), folder, dirname(file)];
  chmodSync(folder, 0o755);
  expect((await callOnce("--keep")).before).toBe(1);
  expect((await callOnce()).before).toBe(0);
  expect(readdirSync(folder)).toEqual([name]);
  if (process.platform !== "win32") for (const each of folders) expect(statSync(each).mode & 0o777).toBe(0o700);
});

test("--keep is refused where it means nothing", () => {
  for (const [words, reason] of [
    [["inspect", "--keep", "tools.ts"], "the history of a module is kept anyway, in .proffer/inspector of its project"],
    [["inspect", "--keep", "session.jsonl"], "a recording makes no calls"],
    [["inspect", "--keep", "--tap", ...COMMAND], "--keep cannot be used with --tap"],
  ] as const) {
    const { status, stderr } = project.profferProcess({}, ...words);
    expect([status, stderr]).toEqual([2, expect.stringContaining(reason)]);
  }
});
