import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  type CallResult,
  defineServer,
  defineTool,
  type MaxResult,
  type Middleware,
  type Server,
  type ServerOptions,
  ToolError,
} from "proffer";
import { createFacade } from "proffer/derived";
import { defineObserver } from "proffer/observe";
import { type ConnectOptions, connect } from "proffer/testing";
import { describe, expect, it } from "vitest";
import { distFile } from "../dist.ts";
import { begin, connectWithTasks, end } from "../tasks/desk.ts";
import { collect, cursorOf, sentenceOf, textsOf } from "./collect.ts";

const TEXT = "a line of a long text\n".repeat(500);
const BIRDS = Array.from({ length: 500 }, (_, id) => ({ id, name: `bird ${id}` }));
const MAX = { bytes: 4000 } as const;

function serverWith(options: Partial<ServerOptions> = {}, handle: () => unknown = () => TEXT): Server {
  const tools = [defineTool({ name: "log", handle })];
  return defineServer({ name: "s", version: "1", maxResult: MAX, log: () => {}, tools, ...options });
}

const tool = (name: string, maxResult?: MaxResult) =>
  defineTool({ name, handle: () => TEXT, ...(maxResult && { maxResult }) });

describe("the option maxResult", () => {
  it.each([
    [{ tokens: 10_000, bytes: 40_000 }],
    [{}],
    [5000],
    [true],
    [{ tokens: 999 }],
    [{ bytes: 999 }],
    [{ bytes: Number.NaN }],
    [{ characters: 5000 }],
  ])("refuses %j, of a server and of a tool", (maxResult) => {
    const given = maxResult as never;
    const expected = {
      code: "bad_option",
      message: expect.stringMatching(/^"(s|log)": maxResult must be \{ tokens \} or \{ bytes \} from 1000, not /),
    };
    expect(failureOf(() => serverWith({ maxResult: given }))).toMatchObject(expected);
    expect(failureOf(() => serverWith({ maxResult: undefined as never, tools: [tool("log", given)] }))).toMatchObject(
      expected,
    );
  });

  it("refuses an author's own tool more, before it and after it", async () => {
    const more = tool("more");
    const { maxResult: _, ...none } = { maxResult: MAX };
    const expected = { code: "duplicate", message: expect.stringContaining('tool "more"') };
    await expect(connect(serverWith({ tools: [more] }))).rejects.toMatchObject(expected);
    const alone = () => defineServer({ name: "s", version: "1", ...none, tools: [more] });
    expect([...alone().tools]).toEqual([more]);
    const late = alone();
    const client = await connect(late);
    late.tools.add(tool("log", MAX));
    await expect(client.call("log")).rejects.toMatchObject({ code: -32603 });
    const server = defineServer({ name: "s", version: "1", tools: [tool("log", MAX)] });
    await connect(server);
    expect(() => server.tools.add(more)).toThrow(expect.objectContaining(expected));
  });

  it("of a tool wins over that of the server", async () => {
    const client = await connect(
      serverWith({ tools: [tool("small", { bytes: 1000 }), tool("large", { bytes: 100_000 }), tool("log")] }),
    );
    const shown = async (name: string) =>
      ((await client.call(name)).content as readonly { text?: string }[])[0]?.text?.length;
    expect(await shown("small")).toBeLessThan(1000);
    expect(await shown("log")).toBeGreaterThan(3000);
    expect(await shown("large")).toBe(TEXT.length);
    // Parts have the limit of their tool, too.
    for (const name of ["small", "log"]) expect(textsOf(await collect(client, name)).join("")).toBe(TEXT);
  });

  it("can come with a tool while the server runs", async () => {
    const server = defineServer({ name: "s", version: "1", tools: [tool("first")] });
    const client = await connect(server);
    expect((await client.listTools()).map(({ name }) => name)).toEqual(["first"]);
    server.tools.add(tool("log", MAX));
    expect((await client.listTools()).map(({ name }) => name)).toEqual(["first", "log", "more"]);
    expect(textsOf(await collect(client, "log")).join("")).toBe(TEXT);
    expect((await client.call("first")).content).toEqual([{ type: "text", text: TEXT }]);
  });

  it("adds nothing to a server without it", async () => {
    const client = await connect(defineServer({ name: "s", version: "1", tools: [tool("log")] }));
    expect((await client.listTools()).map(({ name }) => name)).toEqual(["log"]);
    expect((await client.call("log")).content).toEqual([{ type: "text", text: TEXT }]);
    await expect(client.listTemplates()).rejects.toThrow("Unknown method");
  });

  it("has its code in a file that only import() names", () => {
    const folder = join(dirname(distFile("index.js")), "shared");
    const naming = readdirSync(folder)
      .filter((file) => file.endsWith(".js"))
      .filter((file) => /["']\.\/max-result\.js["']/.test(readFileSync(join(folder, file), "utf8")));
    expect(naming).toEqual(["core.js"]);
    const core = readFileSync(join(folder, "core.js"), "utf8");
    expect(core).toMatch(/import\("\.\/max-result\.js"\)/);
    expect(core).not.toMatch(/from "\.\/max-result\.js"/);
    expect(core).not.toContain("This cursor is unknown");
  });
});

describe("around the cut", () => {
  it("middleware sees the whole result, and observers the bytes that were sent", async () => {
    const seen: number[] = [];
    const middleware: Middleware = async (_, next) => {
      const result = (await next()) as unknown as CallResult;
      if (Array.isArray(result.content)) seen.push(JSON.stringify(result.content).length);
      return result as never;
    };
    const observe = defineObserver({ end: ({ name }, { bytes }) => void (name === "log" && seen.push(bytes)) });
    const client = await connect(serverWith({ middleware, observe }));
    await client.call("log");
    const [whole = 0, sent = 0] = seen;
    expect(whole).toBeGreaterThan(TEXT.length);
    expect(sent).toBeLessThan(5000);
  });

  it("a cache of results gives each caller a cursor of its own", async () => {
    let cached: ReturnType<Parameters<Middleware>[1]> | undefined;
    const middleware: Middleware = ({ name }, next) => {
      if (name !== "log") return next();
      cached ??= next();
      return cached;
    };
    const server = serverWith({ middleware });
    const [ada, eve] = await Promise.all(["ada", "eve"].map((id) => connect(server, { principal: { id } })));
    const first = cursorOf((await ada?.call("log")) as CallResult);
    const again = cursorOf((await eve?.call("log")) as CallResult);
    expect(await eve?.call("more", { cursor: first })).toMatchObject({ isError: true });
    expect(await eve?.call("more", { cursor: again })).not.toHaveProperty("isError");
  });

  it("cuts failures that middleware throws or masks", async () => {
    const thrower: Middleware = ({ name }, next) => (name === "log" ? Promise.reject(new ToolError(TEXT)) : next());
    const thrown = (await (await connect(serverWith({ middleware: thrower }))).call("log")) as CallResult;
    expect(thrown.isError).toBe(true);
    expect(sentenceOf(thrown)).toMatch(/^163 of 500 lines are shown\./);
    const failing = () => {
      throw new ToolError(TEXT);
    };
    for (const middleware of [[], [((_, next) => next()) as Middleware]]) {
      const result = (await (await connect(serverWith({ middleware }, failing))).call("log")) as CallResult;
      expect(result.isError).toBe(true);
      expect(sentenceOf(result)).toMatch(/^163 of 500 lines are shown\./);
    }
  });

  it("a value that JSON does not have is reported as without the option", async () => {
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    const logged: unknown[] = [];
    const log = ({ error }: { error?: unknown }) => void logged.push(error);
    const client = await connect(
      serverWith({ log }, () => ({ content: [{ type: "text", text: "x" }], structuredContent: cycle })),
    );
    await expect(client.call("log")).rejects.toThrow("The result cannot be serialized as JSON.");
    expect(logged).toHaveLength(1);
  });

  it.each([0, 60_000])("a task stores the part, with after %i", async (after) => {
    const slow = defineTool({ name: "log", task: { after }, handle: async () => TEXT });
    const client = await connectWithTasks(serverWith({ tools: [slow] }), { principal: { id: "ada" } });
    const ended = after === 0 ? (await end(client, await begin(client, "log"))).result : await client.call("log");
    const result = ended as unknown as CallResult;
    expect(JSON.stringify(result).length).toBeLessThan(5000);
    const texts = result.content.filter(({ type }) => type === "text");
    expect(texts).toHaveLength(2);
    const cursor = cursorOf(result);
    expect(await client.call("more", { cursor })).not.toHaveProperty("isError");
  });

  it("keeps rests over an edit of proffer dev", async () => {
    const same = <Item>(item: Item) => item;
    const substitutes = { tool: same, prompt: same, resource: same };
    const first = defineServer({ name: "s", version: "1", tools: [tool("log")] });
    const facade = createFacade(first, { substitutes, onStop: async () => {} });
    facade.present(first, []);
    first.tools.add(tool("late", MAX));
    const client = await connect(facade.server);
    const cursor = cursorOf((await client.call("late")) as CallResult);
    facade.present(serverWith({ tools: [tool("late")] }), ["tools"]);
    expect(await client.call("more", { cursor })).not.toHaveProperty("isError");
    expect(textsOf(await collect(client, "late")).join("")).toBe(TEXT);
    facade.present(defineServer({ name: "s", version: "1", tools: [tool("late")] }), ["tools"]);
    expect((await client.call("late")).content).toEqual([{ type: "text", text: TEXT }]);
  });
});

describe("for a client", () => {
  const output = { type: "array", items: { type: "object" } } as const;
  const server = serverWith({ tools: [defineTool({ name: "log", output, handle: () => BIRDS })] });
  const named = (name: string): ConnectOptions => ({ revision: "2025-06-18", info: { name, version: "1" } });

  it("that hides texts beside structured content, the result has only texts", async () => {
    const client = await connect(server, named("codex-mcp-client"));
    const all = await collect(client, "log");
    expect(all.first).not.toHaveProperty("structuredContent");
    expect(textsOf(all).flatMap((text) => JSON.parse(text))).toEqual(BIRDS);
    const other = (await (await connect(server, named("other"))).call("log")) as CallResult;
    expect(other).toHaveProperty("structuredContent");
  });

  it("that drops links or cannot read them, there is no link", async () => {
    for (const name of ["Zed", "claude-ai"]) {
      const result = (await (await connect(server, named(name))).call("log")) as CallResult;
      expect(JSON.stringify(result)).not.toContain("proffer-result");
      expect(sentenceOf(result)).toMatch(/Call more with cursor "[\w-]{24}" for the next part\.$/);
    }
    const result = (await (await connect(server, named("claude-code"))).call("log")) as CallResult;
    expect(result.content.at(-1)).toMatchObject({ type: "resource_link", mimeType: "text/plain" });
  });

  it("lists the size up to 500,000 characters, and an author's own size as it is", async () => {
    const key = "anthropic/maxResultSizeChars";
    const own = defineTool({ name: "own", _meta: { [key]: 7, a: 1 }, maxResult: { bytes: 60_000 }, handle: () => "" });
    const tools = [tool("few", { bytes: 50_000 }), tool("some", { tokens: 50_000 }), tool("many", { bytes: 9e6 }), own];
    const sized = serverWith({ tools });
    for (const revision of ["2025-11-25", "2026-07-28"]) {
      const client = await connect(sized, { revision });
      const metas = async () => (await client.listTools()).map(({ name, _meta }) => [name, _meta]);
      const expected = [
        ["few", undefined],
        ["some", { [key]: 220_000 }],
        ["many", { [key]: 500_000 }],
        ["own", { [key]: 7, a: 1 }],
        ["more", undefined],
      ];
      expect(await metas()).toEqual(expected);
      expect(await metas()).toEqual(expected);
    }
  });
});

function failureOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return expect.unreachable("it did not throw");
}
