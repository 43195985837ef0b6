import { type Context, definePrompt, defineResource, defineServer, defineTool, field } from "proffer";
import { connect, type ScriptedAnswers } from "proffer/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";

const ASKING = ["2025-06-18", "2025-11-25", "2026-07-28"];
const SILENT = ["2024-11-05", "2025-03-26"];

async function greet(ctx: Context): Promise<string> {
  const answer = await ctx.ask("What is your name?", { name: field.text() });
  return answer.action === "accept" ? `Hello, ${answer.content.name}!` : "No name provided.";
}

const server = defineServer({
  name: "asking",
  version: "1.0.0",
  tools: [
    defineTool({ name: "greet", handle: (_, ctx) => greet(ctx) }),
    defineTool({
      name: "shipping",
      handle: async (_, ctx) => {
        const form = z.object({ email: z.email(), copies: z.int().min(1).default(1), express: z.boolean() });
        const answer = await ctx.ask("Where to?", form);
        return answer.action === "accept" ? answer.content : answer.action;
      },
    }),
    defineTool({
      name: "pick",
      handle: async (_, ctx) => {
        const answer = await ctx.ask("Which?", {
          size: field.choice({ s: "Small", l: "Large" }, { default: "s" }),
          tags: field.choices(["red", "green", "blue"]),
        });
        return answer.action === "accept" ? answer.content : answer.action;
      },
    }),
    defineTool({
      name: "spread",
      handle: async (_, ctx) => {
        const answer = await ctx.ask("Who?", { name: field.text() });
        return answer.action === "accept" ? { admin: false, ...answer.content } : answer.action;
      },
    }),
    defineTool({
      name: "polite",
      handle: async (_, ctx) => {
        const answer = await ctx.ask("Sure?", { sure: field.boolean() }, { fallback: { action: "decline" } });
        return answer.action;
      },
    }),
  ],
  prompts: [definePrompt({ name: "introduce", get: async (_, ctx) => `Introduce: ${await greet(ctx)}` })],
  resources: [
    defineResource({
      uri: "greeting://{lang}",
      name: "Greeting",
      read: ({ lang }, ctx) => greet(ctx).then((text) => `${lang}: ${text}`),
    }),
  ],
});

describe.each(ASKING)("a question on %s", (revision) => {
  const call = async (tool: string, answers: ScriptedAnswers) => {
    const client = await connect(server, { revision, answers });
    return client.call(tool);
  };

  it("passes the user's answers to the handler", async () => {
    expect(await call("greet", [{ name: "Alice" }])).toMatchObject({ content: [{ text: "Hello, Alice!" }] });
  });

  it("passes no property that the form does not have", async () => {
    const forged = JSON.parse('{"name":"Eve","admin":true,"__proto__":{"root":true}}') as Record<string, string>;
    const { content } = await call("spread", [forged]);
    expect(content).toEqual([{ type: "text", text: '{"admin":false,"name":"Eve"}' }]);
  });

  it.each(["decline", "cancel"] as const)("passes %s to the handler", async (action) => {
    expect(await call("greet", [action])).toMatchObject({ content: [{ text: "No name provided." }] });
  });

  it("accepts a Standard Schema and returns its output", async () => {
    const result = await call("shipping", [{ email: "a@b.example", express: true, copies: 2 }]);
    expect(result.content[0]).toMatchObject({
      text: JSON.stringify({ email: "a@b.example", copies: 2, express: true }),
    });
  });

  it("sends choices in the form of the revision", async () => {
    const client = await connect(server, {
      revision,
      answers: ({ params }) => {
        const { size, tags } = (params.requestedSchema as { properties: Record<string, Record<string, unknown>> })
          .properties;
        if (revision === "2025-06-18") {
          expect(size).toEqual({ type: "string", enum: ["s", "l"], enumNames: ["Small", "Large"] });
          expect(tags).toEqual({ type: "string", description: "Any of red, green, blue, separated by commas." });
          return { size: "l", tags: "red, blue" };
        }
        expect(size).toEqual({
          type: "string",
          oneOf: [
            { const: "s", title: "Small" },
            { const: "l", title: "Large" },
          ],
          default: "s",
        });
        expect(tags).toEqual({ type: "array", items: { type: "string", enum: ["red", "green", "blue"] } });
        return { size: "l", tags: ["red", "blue"] };
      },
    });
    expect((await client.call("pick")).content).toMatchObject([{ text: '{"size":"l","tags":["red","blue"]}' }]);
  });

  it("works in prompts and in resource reads", async () => {
    const client = await connect(server, { revision, answers: [{ name: "Bob" }, { name: "Eve" }] });
    expect((await client.get("introduce")).messages[0]).toMatchObject({ content: { text: "Introduce: Hello, Bob!" } });
    expect((await client.read("greeting://en")).contents[0]).toMatchObject({ text: "en: Hello, Eve!" });
  });

  it("is not sent to a client without the capability", async () => {
    const client = await connect(server, { revision, capabilities: {} });
    const outcome = client.call("greet");
    if (revision === "2026-07-28") {
      await expect(outcome).rejects.toMatchObject({
        code: -32021,
        data: { requiredCapabilities: { elicitation: { form: {} } } },
      });
    } else {
      expect(await outcome).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining("elicitation") }],
      });
    }
    expect(await client.call("polite")).toMatchObject({ content: [{ text: "decline" }] });
  });
});

describe.each(SILENT)("a question on %s, which has no elicitation", (revision) => {
  it("ends the call with an error that names the missing capability and the revision", async () => {
    const client = await connect(server, { revision });
    expect(await client.call("greet")).toMatchObject({
      isError: true,
      content: [
        {
          text: `This tools/call requires a client that supports elicitation; revision ${revision} does not have it, later ones do.`,
        },
      ],
    });
  });

  it("continues with the fallback", async () => {
    const client = await connect(server, { revision });
    expect(await client.call("polite")).toMatchObject({ content: [{ text: "decline" }] });
  });
});

describe("other requests to the client", () => {
  const asker = defineServer({
    name: "asker",
    version: "1",
    tools: [
      defineTool({
        name: "url",
        handle: async (_, ctx) => (await ctx.askUrl("Sign in", "https://example.com/in")).action,
      }),
      defineTool({
        name: "sample",
        handle: async (_, ctx) =>
          (await ctx.sample({ messages: [{ role: "user", content: { type: "text", text: "hi" } }], maxTokens: 5 }))
            .model,
      }),
      defineTool({ name: "roots", handle: async (_, ctx) => (await ctx.roots()).map((root) => root.uri) }),
    ],
  });
  const answers: ScriptedAnswers = ({ method }) =>
    method === "roots/list"
      ? { roots: [{ uri: "file:///home" }] }
      : method === "sampling/createMessage"
        ? { role: "assistant", model: "m1", content: { type: "text", text: "x" } }
        : { action: "accept" };

  it("cannot open a URL on 2025-06-18, even if the client says so", async () => {
    const capabilities = { elicitation: { form: {}, url: {} } };
    const client = await connect(asker, { revision: "2025-06-18", capabilities, answers });
    const { isError, content } = await client.call("url");
    expect({ isError, content }).toMatchObject({ isError: true, content: [{ text: /elicitation/ }] });
  });

  it.each(["2025-11-25", "2026-07-28"])("open a URL on %s", async (revision) => {
    const client = await connect(asker, { revision, answers });
    expect((await client.call("url")).content).toMatchObject([{ text: "accept" }]);
    const id =
      revision === "2025-11-25"
        ? expect.stringContaining("elicitationId")
        : expect.not.stringContaining("elicitationId");
    expect(client.transcript.toString()).toEqual(id);
  });

  it.each([...SILENT, ...ASKING])("sample from a model and list the roots on %s", async (revision) => {
    const client = await connect(asker, { revision, answers });
    expect((await client.call("sample")).content).toMatchObject([{ text: "m1" }]);
    expect((await client.call("roots")).content).toMatchObject([{ text: '["file:///home"]' }]);
  });
});
