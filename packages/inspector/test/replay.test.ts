import { readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { connect } from "proffer/testing";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { HistoryFile, openHistory } from "../../cli/src/inspect/history-file.ts";
import { load } from "../../cli/src/modules/load.ts";
import { currentTrust } from "../../cli/src/modules/trust.ts";
import { WireRecord } from "../../cli/src/recordings/record.ts";
import { writeRecording } from "../../cli/src/recordings/recording.ts";
import { claimInspectorFolder } from "../../cli/src/recordings/recording-file.ts";
import { findCalls } from "../../cli/src/recordings/replay.ts";
import { readSavedCall, saveCall } from "../../cli/src/recordings/saved-call.ts";
import { createProject, type Project } from "../../cli/test/project.ts";
import { History } from "../src/calls/history.ts";
import type { CallState } from "../src/protocol/data.ts";
import { NOTE_AND_REVIEW } from "./note-and-review.ts";

const REVISIONS = ["2026-07-28", "2025-11-25", "2025-06-18"];
const MODULE = (greeting: string) => [
  'import type { Context } from "proffer";',
  'import { appendFileSync } from "node:fs";',
  "/** Greets. @readOnly */",
  "export function greet(name: string): { said: string } {",
  `  return { said: "${greeting} " + name };`,
  "}",
  "/** Orders after two questions. */",
  "export async function order(id: string, ctx: Context): Promise<string> {",
  '  appendFileSync(new URL("./effects.txt", import.meta.url), "x");',
  '  const sure = await ctx.ask<{ sure: boolean }>("Sure?");',
  '  const when = await ctx.ask<{ day: string }>("When?");',
  '  return sure.action + " " + id + " " + (when.action === "accept" ? when.content.day : when.action);',
  "}",
  ...NOTE_AND_REVIEW,
];

let project: Project;

beforeAll(() => {
  project = createProject();
  project.write("tools.ts", ...MODULE("Hello"));
  project.write("other.ts", ...MODULE("Hi"));
});

afterAll(() => project?.remove());

/** Makes some calls and records them as the inspector does. */
async function recordSession(revision: string): Promise<WireRecord> {
  const record = new WireRecord();
  record.setLane({ conn: "c1", role: "page", name: "page", revision, transport: "memory", open: true });
  const server = await load(pathToFileURL(project.path("tools.ts")));
  const answers = [{ sure: true }, { day: "Monday" }];
  const client = await connect(server, { revision, answers });
  // The transcript has every message of both sides in its order.
  await client.call("greet", { name: "Ada" });
  await client.call("order", { id: "7" });
  await client.read("notes://1");
  await client.get("review", { code: "x" });
  await client.read("nothing://here").catch(() => {});
  for (const line of String(client.transcript).split("\n")) {
    record.add({ conn: "c1", dir: line.startsWith("→") ? "out" : "in", text: line.slice(2) });
  }
  await client.close();
  return record;
}

async function recordingOf(revision: string): Promise<string> {
  const record = await recordSession(revision);
  const file = project.path(`${revision}.jsonl`);
  const target = { kind: "module", name: "tools.ts" } as const;
  writeFileSync(file, writeRecording({ target, revisions: REVISIONS, lanes: [...record.lanes()] }, record.messages()));
  return file;
}

describe("a replay", () => {
  test.each(REVISIONS)("finds the calls of %s, with their answers", async (revision) => {
    const calls = findCalls([...(await recordSession(revision)).messages()]);
    expect(calls.map(({ draft }) => [draft.method, draft.params.name ?? draft.params.uri])).toEqual([
      ["tools/call", "greet"],
      ["tools/call", "order"],
      ["resources/read", "notes://1"],
      ["prompts/get", "review"],
      ["resources/read", "nothing://here"],
    ]);
    expect(calls[1]?.draft).toEqual({
      revision,
      method: "tools/call",
      params: { name: "order", arguments: { id: "7" } },
      answers: [
        { action: "accept", content: { sure: true } },
        { action: "accept", content: { day: "Monday" } },
      ],
    });
    expect(calls[1]?.outcome).toMatchObject({ result: { content: [{ text: "accept 7 Monday" }] } });
    expect(calls[4]?.outcome).toMatchObject({ error: { code: expect.any(Number) } });
  });

  it("is the same on the same server, on every revision, and has no effects unless asked for", async () => {
    const before = project.read("effects.txt").length;
    for (const revision of REVISIONS) {
      const file = await recordingOf(revision);
      const made = project.read("effects.txt").length;
      const again = await project.proffer("replay", file, "tools.ts", "--revision", "2025-11-25");
      expect(again).toMatchObject({ status: 0 });
      expect(again.stdout).toContain("order  skipped: it is not marked as read-only; --effects runs it");
      expect(again.stderr).toContain("4 the same, 0 different, 1 skipped.");
      expect(project.read("effects.txt").length).toBe(made);
    }
    const file = await recordingOf("2026-07-28");
    const made = project.read("effects.txt").length;
    const { status, stderr } = await project.proffer("replay", file, "tools.ts", "--effects");
    expect([status, stderr]).toEqual([0, expect.stringContaining("5 the same, 0 different, 0 skipped.")]);
    expect(project.read("effects.txt").length).toBeGreaterThan(made);
    expect(before).toBeGreaterThan(0);
  });

  it("shows answers of another server that differ", async () => {
    const file = await recordingOf("2026-07-28");
    const { status, stdout, stderr } = await project.proffer("replay", file, "other.ts");
    expect(status).toBe(1);
    expect(stdout).toContain('/structuredContent/said\n      - "Hello Ada"\n      + "Hi Ada"');
    expect(stderr).toContain("The server answers differently: 3 the same, 1 different, 1 skipped.");
    const json = JSON.parse((await project.proffer("replay", file, "other.ts", "--json")).stdout);
    expect(json[0]).toMatchObject({ verdict: "different", method: "tools/call", about: "greet" });
  });

  it("names the problem of its arguments", async () => {
    project.write("empty.jsonl", '{"proffer":"recording","version":1}');
    expect((await project.proffer("replay", "empty.jsonl", "tools.ts")).stderr).toContain(
      "empty.jsonl has no calls of tools, resources or prompts.",
    );
    expect((await project.proffer("replay", "tools.ts", "tools.ts")).stderr).toContain("tools.ts is not a recording");
    expect((await project.proffer("replay", "empty.jsonl")).stderr).toContain("Missing argument: target");
  });
});

test("a saved call is a file beside the module, and runs again", async () => {
  const draft = {
    revision: "2026-07-28",
    method: "tools/call",
    params: { name: "order", arguments: { id: "9" } },
    answers: [{ action: "accept", content: { sure: true } }, { action: "decline" }],
    result: { content: [{ type: "text", text: "accept 9 decline" }] },
  } as const;
  saveCall(project.path("tools.ts"), "happy-path", draft);
  expect(readSavedCall(project.path("tools.ts"), "happy-path")).toMatchObject(draft);
  const same = await project.proffer("call", "tools.ts", "--saved", "happy-path");
  expect([same.status, same.stderr]).toEqual([0, expect.stringContaining("The result is the saved one.")]);
  saveCall(project.path("tools.ts"), "wrong", { ...draft, result: { content: [{ type: "text", text: "other" }] } });
  const other = await project.proffer("call", "tools.ts", "--saved", "wrong");
  expect(other.status).toBe(1);
  expect(other.stderr).toContain('/content/0/text\n      - "other"\n      + "accept 9 decline"');
  const unknown = await project.proffer("call", "tools.ts", "--saved", "nothing");
  expect(unknown.stderr).toMatch(/There is no saved call "nothing". Saved: happy-path, wrong./);
  for (const name of ["../x", "A", "", "a".repeat(65), "a/b", "con.txt"]) {
    expect(() => saveCall(project.path("tools.ts"), name, draft)).toThrow(/Invalid name .* of a saved call/);
  }
  project.write("inspect/broken.json", '{"proffer":"call","version":2}');
  expect(() => readSavedCall(project.path("tools.ts"), "broken")).toThrow(/is not a saved call of version 1/);
  expect((await project.proffer("call", "tools.ts", "--saved", "x", "--arg", "a=1")).stderr).toContain(
    "Remove --arg and --input.",
  );
});

test("a saved call does not follow a link out of the project", () => {
  const outside = createProject();
  outside.write("tools.ts", "export {};");
  symlinkSync(project.folder, outside.path("inspect"), "junction");
  const draft = { revision: "2026-07-28", method: "tools/call", params: { name: "a" } } as const;
  expect(() => saveCall(outside.path("tools.ts"), "x", draft)).toThrow(/is a symbolic link/);
  outside.remove();
});

describe("the history", () => {
  const call = (text: string): CallState => ({
    id: "1",
    at: 1,
    revision: "2026-07-28",
    method: "tools/call",
    params: { name: "greet", arguments: { text } },
    status: "done",
    runs: [{ number: 1, line: 1, outcome: "returned", trace: [] }],
    asks: [
      { id: "a", run: 1, method: "elicitation/create", params: {}, state: "answered", answer: { action: "decline" } },
    ],
    bytesOut: 0,
    bytesIn: 0,
    offer: 1,
  });
  const open = (problems: string[] = []) =>
    new History(
      new HistoryFile(claimInspectorFolder(project.path("."), currentTrust()), currentTrust(), (problem) =>
        problems.push(problem),
      ),
      () => {},
    );
  const path = () => project.path(".proffer/inspector/history.jsonl");

  it("is kept over restarts, newest first, for the owner only", () => {
    const first = open();
    const id = first.add(call("one"));
    first.add(call("two"));
    first.setSaved(id, "happy");
    const again = open();
    expect(again.list().map(({ draft, saved }) => [draft.params, draft.answers, saved])).toEqual([
      [{ name: "greet", arguments: { text: "two" } }, [{ action: "decline" }], undefined],
      [{ name: "greet", arguments: { text: "one" } }, [{ action: "decline" }], "happy"],
    ]);
    expect(again.get(id)).toEqual(call("one"));
    if (process.platform !== "win32") expect(statSync(path()).mode & 0o777).toBe(0o600);
    again.forget(id);
    expect(open().list()).toHaveLength(1);
    again.forget();
    expect(open().list()).toEqual([]);
  });

  it("of one module has no calls of another one in the same project", () => {
    const historyOf = (module: string) =>
      new History(
        openHistory(project.path(module), () => {}),
        () => {},
      );
    historyOf("shop.ts").add(call("one"));
    expect(historyOf("tools.ts").list()).toEqual([]);
    expect(historyOf("shop.ts").list()).toHaveLength(1);
    historyOf("shop.ts").forget();
  });

  it("keeps 200 calls and 20 MB, and drops the oldest", () => {
    const history = open();
    for (let n = 0; n < 210; n++) history.add(call(String(n)));
    expect(history.list()).toHaveLength(200);
    expect(open().list().at(-1)?.draft.params.arguments).toEqual({ text: "10" });
    history.add(call("x".repeat(19 * 1024 * 1024)));
    history.add(call("x".repeat(19 * 1024 * 1024)));
    expect(open().list()).toHaveLength(1);
    expect(statSync(path()).size).toBeLessThan(21 * 1024 * 1024);
    history.forget();
  });

  it("leaves out damaged lines, and a file that it cannot trust", () => {
    open().add(call("good"));
    writeFileSync(path(), `${readFileSync(path(), "utf8")}{\n{"id":"x"}\n{"id":"x","call":{"method":"evil"}}\n`);
    const problems: string[] = [];
    expect(open(problems).list()).toHaveLength(1);
    expect(problems).toEqual([expect.stringMatching(/^3 lines of .* are damaged and were left out\.$/)]);
    open().forget();
  });
});
