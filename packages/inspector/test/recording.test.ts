import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, test } from "vitest";
import { WireRecord } from "../../cli/src/recordings/record.ts";
import { readRecording, warnOfSecrets, writeRecording } from "../../cli/src/recordings/recording.ts";
import type { WireMessage } from "../src/protocol/data.ts";

const folder = mkdtempSync(join(tmpdir(), "proffer-recording-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(...lines: readonly (string | Buffer)[]): string {
  const file = join(folder, `${Math.random()}.jsonl`);
  writeFileSync(file, Buffer.concat(lines.map((line) => Buffer.from(line))));
  return file;
}

const HEADER = writeRecording(
  { target: { kind: "module", name: "tools.ts" }, revisions: ["2026-07-28"], lanes: [] },
  [],
);

function someMessages(): WireMessage[] {
  const record = new WireRecord();
  record.setLane({ conn: "c1", role: "page", name: "page", revision: "2026-07-28", transport: "http", open: true });
  const http = { method: "POST", status: 200, requestHeaders: { accept: "*/*" }, responseHeaders: {}, eventId: "7" };
  const add = (dir: "out" | "in", text: string, more = {}) => record.add({ conn: "c1", dir, text, ...more });
  add("out", '{"id":1,"method":"tools/call","params":{"name":"a\\u0062","_meta":{"progressToken":1}}}', { http });
  add("in", '{"method":"notifications/progress","params":{"progressToken":1,"progress":1,"message":"half"}}');
  add("in", '{"id":1,"id":1,"result":{"resultType":"input_required","requestState":"s"}}', { http });
  add("out", '{"id":2,"method":"tools/call","params":{"name":"ab","requestState":"s"}}');
  add("in", '{"id":2,"error":{"code":-32602,"message":"no"}}');
  add("in", "{ not JSON \u2028 \u0000");
  return [...record.messages()];
}

test("a recording that was written is read as it was", async () => {
  const messages = someMessages();
  const lanes = [{ conn: "c1", role: "page", name: "page", revision: "2026-07-28", transport: "http", open: true }];
  const server = { name: "shop", version: "1", capabilities: {} };
  const text = writeRecording(
    { target: { kind: "module", name: "tools.ts" }, server, revisions: ["2026-07-28"], lanes: lanes as never },
    messages,
  );
  const { header, messages: read, problems } = await readRecording(write(text));
  expect(read).toEqual(messages);
  expect(problems).toEqual([]);
  expect(header).toMatchObject({ target: { kind: "recording", name: "tools.ts" }, server, lanes: [{ open: false }] });
});

describe("a recording with mistakes", () => {
  it("names the lines that are broken, and shows the others", async () => {
    const [first] = someMessages();
    const good = `${JSON.stringify(first)}\n`;
    const bad = ["{\n", "null\n", "[]\n", '{"n":1}\n', '{"n":1,"at":0,"conn":"c","dir":"up","text":""}\n'];
    const { messages, problems } = await readRecording(
      write(HEADER, ...bad, good, "\n", Buffer.from([0xff, 0xfe, 10])),
    );
    expect(messages).toEqual([first]);
    expect(problems).toHaveLength(6);
    expect(problems[0]).toMatch(/^Line 2 of .* is not a message\.$/);
    expect(problems.at(-1)).toMatch(/^Line 9 of/);
    const many = await readRecording(write(HEADER, "x\n".repeat(1000)));
    expect(many.problems).toHaveLength(21);
    expect(many.problems.at(-1)).toBe("980 more lines are not messages.");
  });

  it("takes the facts of a message from its text", async () => {
    const lie = {
      n: 1,
      at: 0,
      conn: "c1",
      dir: "in",
      text: '{"id":1,"result":{}}',
      kind: "request",
      bytes: 9e9,
      method: {},
    };
    const { messages } = await readRecording(write(HEADER, JSON.stringify(lie)));
    expect(messages).toEqual([
      { n: 1, at: 0, conn: "c1", dir: "in", text: lie.text, kind: "result", id: 1, bytes: 20, status: "complete" },
    ]);
  });

  it("is refused if it is something else", async () => {
    const notRecording = /is not a recording: its first line must be the header/;
    for (const text of ["", "{}\n", "hello\n", '{"proffer":"lock"}\n']) {
      await expect(readRecording(write(text))).rejects.toThrow(notRecording);
    }
    await expect(readRecording(write(HEADER.replace('"version":1', '"version":2')))).rejects.toThrow(
      "is a recording of version 2; this release reads version 1.",
    );
    await expect(readRecording(join(folder, "missing.jsonl"))).rejects.toThrow(/missing\.jsonl cannot be read: ENOENT/);
  });
});

test("a long line is read in linear time", async () => {
  const text = JSON.stringify({ id: 1, result: { text: "x".repeat(20 * 1024 * 1024) } });
  const line = JSON.stringify({ n: 1, at: 0, conn: "c1", dir: "in", text });
  const { messages } = await readRecording(write(HEADER, line));
  expect(messages[0]?.text).toBe(text);
});

test("an export warns of values whose names suggest a secret", () => {
  const [base] = someMessages() as [WireMessage];
  const message = (n: number, params: object): WireMessage => ({ ...base, n, text: JSON.stringify({ params }) });
  const messages = [
    message(1, { arguments: { apiKey: "k", deep: [{ password: "p" }] } }),
    message(2, { _meta: { progressToken: "t" }, tokens: 7, token: "" }),
    message(3, { inputSchema: { properties: { password: { type: "string" } } } }),
  ];
  expect(warnOfSecrets(messages)).toEqual([
    'Message 1 contains a value named "apiKey". Check it before you share the file.',
    'Message 1 contains a value named "password". Check it before you share the file.',
  ]);
  const many = Array.from({ length: 50 }, (_, n) => message(n, { token: "t" }));
  expect(warnOfSecrets(many)).toHaveLength(21);
});
