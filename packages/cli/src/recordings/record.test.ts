import type { WireLine } from "@proffer/inspector";
import { describe, expect, it, test } from "vitest";
import { Mask, WireRecord } from "./record.ts";

function createRecord(headers = {}) {
  const record = new WireRecord(new Mask(headers));
  record.setLane({ conn: "c1", role: "page", name: "page", revision: "2026-07-28", transport: "memory", open: true });
  const add = (dir: "out" | "in", value: unknown) =>
    record.add({ conn: "c1", dir, text: typeof value === "string" ? value : JSON.stringify(value) });
  return { record, add };
}

describe("a record", () => {
  it("relates responses, progress and rounds to their requests", () => {
    const { add } = createRecord();
    const params = { name: "order", arguments: { id: 1 }, _meta: { progressToken: 7 } };
    const asked = add("out", { jsonrpc: "2.0", id: 1, method: "tools/call", params });
    expect(asked).toMatchObject({
      n: 1,
      kind: "request",
      method: "tools/call",
      about: "order",
      revision: "2026-07-28",
    });
    const progress = add("in", { method: "notifications/progress", params: { progressToken: 7, progress: 1 } });
    expect(progress).toMatchObject({ kind: "notification", re: 1, method: "notifications/progress", about: "order" });
    const question = add("in", { id: 1, result: { resultType: "input_required", requestState: "s1" } });
    expect(question).toMatchObject({ kind: "result", status: "input_required", method: "tools/call", re: 1 });
    expect(question.ms).toBeGreaterThanOrEqual(0);
    const second = add("out", { id: 2, method: "tools/call", params: { name: "order", requestState: "s1" } });
    expect(second.re).toBe(1);
    expect(add("in", { id: 2, result: { isError: true } })).toMatchObject({ status: "isError", re: second.n });
  });

  it("relates a question of older revisions to the only open call", () => {
    const { add } = createRecord();
    add("out", { id: 1, method: "tools/call", params: { name: "order" } });
    const asked = add("in", { id: "q", method: "elicitation/create", params: { message: "Sure?" } });
    expect(asked).toMatchObject({ kind: "request", re: 1, about: "Sure?" });
    expect(add("out", { id: "q", result: { action: "accept" } })).toMatchObject({
      re: asked.n,
      method: "elicitation/create",
    });
    expect(add("out", { method: "notifications/cancelled", params: { requestId: 1 } }).re).toBe(1);
  });

  it("keeps wrong ids, errors and text that is no message", () => {
    const { record, add } = createRecord();
    add("out", { id: 1, method: "ping" });
    expect(add("in", { id: "1", result: {} })).toMatchObject({ kind: "result", id: "1" });
    expect(add("in", { id: "1", result: {} }).re).toBeUndefined();
    expect(add("in", { id: 1, error: { code: -32601 } })).toMatchObject({ kind: "error", status: "-32601", re: 1 });
    for (const text of ["{", "null", "7", "[]", '"x"', "{}", '{"id":{}}']) {
      expect(add("in", text)).toMatchObject({ kind: "malformed", bytes: Buffer.byteLength(text) });
      expect([...record.messages()].at(-1)?.text).toBe(text);
    }
    expect(
      add("in", [
        { id: 5, method: "a" },
        { id: 6, method: "b" },
      ]),
    ).toMatchObject({ id: 5, note: "batch of 2" });
  });

  it("keeps the newest 10,000 messages of at most 32 MiB", () => {
    const { record, add } = createRecord();
    for (let n = 0; n < 10_050; n++) add("out", "{}");
    const numbers = [...record.lines()].map(({ n }) => n);
    expect([numbers.length, numbers[0], numbers.at(-1)]).toEqual([10_000, 51, 10_050]);
    const large = "x".repeat(20 * 1024 * 1024);
    add("out", large);
    expect([...record.lines()].length).toBeGreaterThan(9000);
    add("out", large);
    expect([...record.lines()].map(({ n }) => n)).toEqual([10_052]);
    record.clear();
    expect(add("out", "{}").n).toBe(10_053);
  });

  it("cuts long names in lines, not in texts", () => {
    const { record, add } = createRecord();
    const name = "x".repeat(1_000_000);
    const line = add("out", { id: name, method: name, params: { name } });
    expect(JSON.stringify(line).length).toBeLessThan(1000);
    expect(record.get(1)?.text).toContain(name);
  });
});

describe("a secret that a server repeats is masked", () => {
  const secret = 'p"a/s+s<w>o\\r&d=';
  const { record } = createRecord({ authorization: `Bearer ${secret}`, "x-login": `Basic ${btoa(`ada:${secret}!`)}` });
  const json = JSON.stringify(secret).slice(1, -1);
  const escaped = (text: string, pattern: RegExp, change = (code: string) => code) =>
    text.replace(pattern, (char) => `\\u${change(char.charCodeAt(0).toString(16).padStart(4, "0"))}`);

  it.each([
    ["as it is", secret],
    ["in JSON", json],
    ["in JSON with slashes as PHP writes them", json.replaceAll("/", "\\/")],
    ["in JSON with escapes as Go writes them", escaped(json, /[<>&]/g)],
    ["in JSON with all escapes, in capital letters", escaped(secret, /\W/g, (code) => code.toUpperCase())],
    ["in JSON in JSON", JSON.stringify(json.replaceAll("/", "\\/")).slice(1, -1)],
    ["in JSON in JSON, of PHP", JSON.stringify(json.replaceAll("/", "\\/")).slice(1, -1).replaceAll("/", "\\/")],
    ["in a URL", encodeURIComponent(secret)],
    ["in a URL, in small letters", encodeURIComponent(secret).toLowerCase()],
    ["as the password of Basic credentials", `${secret}!`],
  ])("%s", (_, spelling) => {
    const shown = record.mask.text(`before ${spelling} after`);
    expect(shown.replace("***!", "***")).toBe("before *** after");
  });

  it("without long searches, however long it is, and whatever the text is", () => {
    const long = '/\\"'.repeat(3000);
    const { mask } = createRecord({ authorization: `Bearer ${long}` }).record;
    expect(mask.text(`a ${long} b`)).toBe("a *** b");
    const started = process.cpuUsage().user;
    for (const text of ["\\", "\\/", "%2f", "p"]) mask.text(text.repeat(200_000));
    expect(process.cpuUsage().user - started).toBeLessThan(10_000_000);
  });
});

test("secrets are masked before they are recorded", () => {
  const token = "s3cr3t-t0ken";
  const quoted = 'quo"ted-secret';
  const { record } = createRecord({ authorization: `Bearer ${token}`, "x-custom": quoted });
  const lines: WireLine[] = [];
  record.observe({ line: (line) => lines.push(line) });
  const http = {
    status: 200,
    requestHeaders: {
      Authorization: `Bearer ${token}`,
      "X-Custom": quoted,
      accept: "*/*",
      "x-api-key": "k",
      "X-Goog-Signature": "sig",
      Cookie: "c=1",
      "mcp-session-id": "0123456789-0123456789-0123456789",
    },
    responseHeaders: {
      "set-cookie": "session=1",
      "x-echo": token,
      "proxy-authorization": "p",
      "WWW-Authenticate": "Bearer realm=shop",
      "mcp-session-id": "17",
    },
  };
  const params = { name: "Bearer", token, text: `you sent Bearer ${token}`, quoted };
  record.add({ conn: "c1", dir: "in", text: JSON.stringify({ method: "notifications/message", params }), http });
  record.add({
    conn: "c1",
    dir: "out",
    text: JSON.stringify({ id: 1, method: "resources/read", params: { uri: `shop:${token}` } }),
  });
  record.add({ conn: "c1", dir: "in", text: '{"id":1,"result":{}}' });
  expect(lines.slice(1).map(({ about }) => about)).toEqual(["shop:***", "shop:***"]);
  const all = JSON.stringify([lines, [...record.messages()]]);
  for (const secret of [token, "ted-secret", "session=1", "c=1", "89-0123"]) expect(all).not.toContain(secret);
  expect(lines[0]?.about).toBe("Bearer");
  expect(record.get(1)?.http).toEqual({
    status: 200,
    requestHeaders: {
      authorization: "***",
      "x-custom": "***",
      accept: "*/*",
      "x-api-key": "***",
      "x-goog-signature": "***",
      cookie: "***",
      "mcp-session-id": "01234567***",
    },
    responseHeaders: {
      "set-cookie": "***",
      "x-echo": "***",
      "proxy-authorization": "***",
      "www-authenticate": "Bearer realm=shop",
      "mcp-session-id": "***",
    },
  });
});
