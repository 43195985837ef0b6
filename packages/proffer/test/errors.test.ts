import {
  definePrompt,
  defineResource,
  defineServer,
  defineTool,
  type ErrorsOption,
  InvalidParams,
  type LogEntry,
  type ServerOptions,
  ToolError,
} from "proffer";
import { overrideOptions } from "proffer/derived";
import { connect } from "proffer/testing";
import { describe, expect, it } from "vitest";
import { EVERY } from "./versions.ts";

const SECRET = "password=hunter2";

function fails(): never {
  throw new Error(SECRET, { cause: new Error("the reason") });
}

const messageOf = (error: unknown) => (error as Error).message;

function serve(options: Partial<ServerOptions> = {}) {
  const logged: LogEntry[] = [];
  const server = defineServer({
    name: "s",
    version: "1",
    tools: [
      defineTool({ name: "t", handle: fails }),
      defineTool({ name: "late", handle: async () => fails() }),
      defineTool({ name: "unwritable", handle: () => ({ huge: 1n }) }),
      defineTool({
        name: "hides",
        handle: () => {
          throw new InvalidParams("Shown to everybody.", { big: 1n });
        },
      }),
    ],
    prompts: [definePrompt({ name: "p", get: fails })],
    resources: [defineResource({ uri: "s://r", name: "r", read: fails })],
    log: (entry) => logged.push(entry),
    ...options,
  });
  return { server, logged };
}

describe.each(EVERY)("an unexpected exception in %s", (revision) => {
  it("is logged in full, and hidden from the client", async () => {
    const { server, logged } = serve();
    const client = await connect(server, { revision });
    await client.call("t");
    await client.get("p").catch(() => {});
    await client.read("s://r").catch(() => {});
    expect(client.transcript.messages("server").join("\n")).not.toContain("hunter2");
    expect(logged).toMatchObject([
      { level: "error", method: "tools/call", name: "t", error: { message: SECRET, cause: { message: "the reason" } } },
      { level: "error", method: "prompts/get", name: "p", error: { message: SECRET } },
      { level: "error", method: "resources/read", name: "s://r", error: { message: SECRET } },
    ]);
  });

  it('reaches the client as its message with errors: "message", and is still logged', async () => {
    const { server, logged } = serve({ errors: "message" });
    const client = await connect(server, { revision });
    expect(await client.call("t")).toMatchObject({ isError: true, content: [{ type: "text", text: SECRET }] });
    await expect(client.get("p")).rejects.toMatchObject({ code: -32603, message: SECRET });
    await expect(client.read("s://r")).rejects.toMatchObject({ code: -32603, message: SECRET });
    expect(logged).toHaveLength(3);
  });

  it("reaches the client as the text of an errors function, which may mask it", async () => {
    const seen: unknown[] = [];
    const errors: ErrorsOption = (error, { method, name, principal, client, params, signal }) => {
      seen.push([messageOf(error), method, name, principal?.id, client.revision, typeof params, signal.aborted]);
      return method === "prompts/get" ? undefined : `Sorry: ${name}.`;
    };
    const { server, logged } = serve({ errors });
    const client = await connect(server, { revision, principal: { id: "ada" } });
    expect(await client.call("t")).toMatchObject({ isError: true, content: [{ text: "Sorry: t." }] });
    await expect(client.get("p")).rejects.toMatchObject({ code: -32603, message: "Internal error." });
    await expect(client.read("s://r")).rejects.toMatchObject({ code: -32603, message: "Sorry: s://r." });
    expect(seen).toEqual([
      [SECRET, "tools/call", "t", "ada", revision, "object", false],
      [SECRET, "prompts/get", "p", "ada", revision, "object", false],
      [SECRET, "resources/read", "s://r", "ada", revision, "object", false],
    ]);
    expect(logged).toHaveLength(3);
  });

  it("is shown with a hint during development, if the server masks it", async () => {
    const client = await connect(overrideOptions(serve().server, { development: true }), { revision });
    const hint = (remedy: string) =>
      `${SECRET} (shown during development; ${remedy} or set errors: "message" to show it always)`;
    expect((await client.call("t")).content).toEqual([{ type: "text", text: hint("throw a ToolError") }]);
    const message = hint("throw a NotFound or InvalidParams");
    await expect(client.get("p")).rejects.toMatchObject({ code: -32603, message });
    await expect(client.read("s://r")).rejects.toMatchObject({ code: -32603, message });
    const plain = await connect(overrideOptions(serve({ errors: "message" }).server, { development: true }));
    expect((await plain.call("t")).content).toEqual([{ type: "text", text: SECRET }]);
  });

  it("reaches the middleware as it was thrown, and the client as the server decides", async () => {
    const seen: unknown[] = [];
    const { server } = serve({
      async middleware(_call, next) {
        return next().catch((error) => {
          seen.push(messageOf(error));
          throw error;
        });
      },
    });
    const client = await connect(server, { revision });
    expect(await client.call("t")).toMatchObject({ isError: true, content: [{ text: 'Tool "t" failed.' }] });
    expect(await client.call("late")).toMatchObject({ isError: true, content: [{ text: 'Tool "late" failed.' }] });
    await expect(client.get("p")).rejects.toMatchObject({ code: -32603, message: "Internal error." });
    expect(seen).toEqual([SECRET, SECRET, SECRET]);
  });

  it("may be translated by the middleware", async () => {
    const { server } = serve({
      middleware: (_call, next) =>
        next().catch((error) => {
          throw new ToolError(`Translated: ${messageOf(error).length} characters.`);
        }),
    });
    const client = await connect(server, { revision });
    expect(await client.call("t")).toMatchObject({ isError: true, content: [{ text: "Translated: 16 characters." }] });
  });

  it("during serialization ends only that call", async () => {
    const client = await connect(serve().server, { revision });
    await expect(client.call("unwritable")).rejects.toMatchObject({ code: -32603 });
    await expect(client.call("hides")).rejects.toMatchObject({ code: -32602, message: "Shown to everybody." });
    await client.listTools();
  });
});

describe("the text of an unexpected exception", () => {
  const failing = (errors: ErrorsOption, thrown: unknown) => {
    const handle = () => {
      throw thrown;
    };
    return defineServer({ name: "s", version: "1", errors, log: () => {}, tools: [defineTool({ name: "t", handle })] });
  };
  const textFor = async (errors: ErrorsOption, thrown: unknown) => {
    const { content } = await (await connect(failing(errors, thrown))).call("t");
    return (content[0] as { text: string }).text;
  };

  it.each<[string, ErrorsOption]>([
    ["a message", "message"],
    ["a function's text", (error) => messageOf(error)],
  ])("has at most 8,192 characters if it is %s", async (_what, errors) => {
    const text = await textFor(errors, new Error("x".repeat(100_000)));
    expect(text).toHaveLength(8192);
    expect(text).toMatch(/x\n\[truncated: 100000 characters in all\]$/);
  });

  it.each([
    ["an empty message", new Error(""), 'Tool "t" failed.'],
    ["a text", "out of paper", "out of paper"],
    ["a message that is not a string", Object.assign(new Error(), { message: { code: 7 } }), "[object Object]"],
    ["an object without a prototype", Object.create(null), "[object Object]"],
  ])('of %s with errors: "message"', async (_what, thrown, text) => {
    expect(await textFor("message", thrown)).toBe(text);
  });

  it("is masked if the function returns an empty text", async () => {
    expect(await textFor(() => "", new Error("x"))).toBe('Tool "t" failed.');
  });

  it.each(["hidden", true, {}])("cannot be chosen with errors: %j", (errors) => {
    const message = `Server "s": errors must be "masked", "message" or a function, not ${JSON.stringify(errors)}.`;
    const define = () => defineServer({ name: "s", version: "1", errors: errors as never });
    expect(define).toThrow(expect.objectContaining({ code: "bad_option", message }));
  });

  it("can be chosen for a server that exists", async () => {
    const server = failing("message", new Error("visible"));
    expect((await (await connect(overrideOptions(server, { errors: "masked" }))).call("t")).content).toEqual([
      { type: "text", text: 'Tool "t" failed.' },
    ]);
    expect(() => overrideOptions(server, { errors: "loud" as never })).toThrow('errors must be "masked", "message"');
  });
});
