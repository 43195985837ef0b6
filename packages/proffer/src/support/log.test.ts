import { afterEach, describe, expect, it, vi } from "vitest";
import { defineResource } from "../resources/define.ts";
import { defineServer } from "../server/server.ts";
import { connect } from "../testing/connect.ts";
import { defineTool } from "../tools/define.ts";
import { consoleLog } from "./log.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

function logged(entry: Parameters<typeof consoleLog>[0]): string {
  const write = vi.spyOn(console, "error").mockImplementation(() => {});
  consoleLog(entry);
  const lines = write.mock.calls.map(([line]) => String(line));
  write.mockRestore();
  expect(lines).toHaveLength(1);
  return lines[0] ?? "";
}

describe("the server's log", () => {
  it("is one line of JSON for each entry, with the error and its causes", () => {
    const cause = new TypeError("deep");
    const line = logged({ level: "error", message: "m", tool: "t", error: new Error("shallow", { cause }) });
    expect(line).not.toContain("\n");
    expect(JSON.parse(line)).toMatchObject({
      level: "error",
      message: "m",
      tool: "t",
      error: { name: "Error", message: "shallow", stack: expect.any(String), cause: { name: "TypeError" } },
    });
    expect(Number.isNaN(Date.parse(JSON.parse(line).time))).toBe(false);
  });

  it.each([
    ["line ends and a forged line", '\n{"level":"info","message":"forged"}\r\n\u2028\u2029\u0085'],
    ["ANSI escapes", "\u001b[31m\u001b]0;title\u0007\u009b31m\u001b[2K\b\b"],
    ["bidirectional controls", "\u202eabc\u202c\u2066\u2067\u2069\u200e\u200f\u061c"],
    ["a forged prefix", '"}\n{"time":"2026-01-01T00:00:00.000Z","level":"error'],
  ])("cannot be forged or hidden by text from a client: %s", (_what, hostile) => {
    const cause = new TypeError(hostile);
    const error = Object.assign(new Error(hostile, { cause }), { name: hostile });
    const line = logged({ level: "error", message: hostile, name: hostile, [hostile]: [hostile], error });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for control characters
    expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/);
    expect(JSON.parse(line)).toMatchObject({
      level: "error",
      message: hostile,
      name: hostile,
      [hostile]: [hostile],
      error: { name: hostile, message: hostile, cause: { message: hostile } },
    });
  });

  it("is one line for a request with a hostile name", async () => {
    const written = vi.spyOn(console, "error").mockImplementation(() => {});
    const hostile = "x://\u001b[31m\n\u202e";
    const read = () => {
      throw new Error("of the handler");
    };
    const resources = [defineResource({ uri: "x://{+id}", name: "x", read })];
    const client = await connect(defineServer({ name: "s", version: "1", resources }));
    await expect(client.read(hostile)).rejects.toThrow();
    expect(written.mock.calls).toHaveLength(1);
    const [[line]] = written.mock.calls as [[string]];
    expect(line).not.toMatch(/[\n\u202e]/);
    expect(JSON.parse(line).name).toBe(hostile);
  });

  it("accepts errors that are not Error instances, and errors that are their own cause", () => {
    expect(JSON.parse(logged({ level: "error", message: "m", error: "a text" })).error).toBe("a text");
    const own = new Error("self");
    own.cause = own;
    expect(JSON.parse(logged({ level: "error", message: "m", error: own })).error.message).toBe("self");
  });

  it("never throws, whatever an entry contains", () => {
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    const broken = {
      toString() {
        throw new Error("no");
      },
    };
    for (const odd of [cyclic, 1n, Symbol("s"), broken, Object.create(null)]) {
      vi.spyOn(console, "error").mockImplementation(() => {});
      expect(() => consoleLog({ level: "error", message: "m", odd, error: odd })).not.toThrow();
    }
  });

  it("never keeps a request from being answered, even if the log function throws", async () => {
    const written = vi.spyOn(console, "error").mockImplementation(() => {});
    const tool = defineTool({
      name: "t",
      handle: () => {
        throw new Error("of the tool");
      },
    });
    const log = () => {
      throw new Error("of the log");
    };
    const client = await connect(defineServer({ name: "s", version: "1", tools: [tool], log }));
    expect(await client.call("t")).toMatchObject({ isError: true });
    expect(written.mock.calls.map(([line]) => JSON.parse(line).error.message)).toEqual(["of the log", "of the tool"]);
  });
});
