import type { ScriptedAnswer } from "proffer/testing";
import { describe, expect, it } from "vitest";
import { describeModule } from "../transports.ts";
import { SECRET } from "./failures.ts";

const MODULE = new URL("./server.ts", import.meta.url);
const ICON = /^R0lGODlh[A-Za-z0-9+/]+$/;

describeModule({ module: MODULE, revisions: ["2024-11-05", "2026-07-28"] }, (leg) => {
  const isNewest = leg.revision === "2026-07-28";

  it("introduces itself by name, version and instructions, with the capabilities of its features", () => {
    const { result } = JSON.parse(leg.client.transcript.messages("server")[0] ?? "");
    const info = isNewest ? result._meta["io.modelcontextprotocol/serverInfo"] : result.serverInfo;
    expect(info).toEqual({ name: "my-server", version: "2.0.0", ...(isNewest && { title: "My server" }) });
    expect(result.instructions).toBe(
      "The examples of Logtalk's mcp_server documentation, written with define functions.",
    );
    expect(result.capabilities).toMatchObject({ tools: {}, prompts: {}, resources: {} });
    // Elicitation is a capability of clients, not of servers.
    expect(result.capabilities).not.toHaveProperty("elicitation");
  });

  describe("a custom call", () => {
    it("returns its own text", async () => {
      const result = await leg.client.call("factorial", { n: 5 });
      expect(result.content).toEqual([{ type: "text", text: "The factorial is: 120" }]);
      expect(result).not.toHaveProperty("isError");
    });

    it("returns a list of results, with a failure as one of the texts", async () => {
      const result = await leg.client.call("factorials", { ns: [3, -1, 0] });
      expect(result.content.slice(0, 3)).toEqual([
        { type: "text", text: "3! = 6" },
        { type: "text", text: "-1 has no factorial." },
        { type: "text", text: "0! = 1" },
      ]);
      expect(result).not.toHaveProperty("isError");
      // Links exist since 2025-06-18; before, they are sent as text.
      expect(result.content[3]).toMatchObject(
        isNewest
          ? { type: "resource_link", uri: "logtalk://my-app/readme", name: "readme", mimeType: "text/plain" }
          : { type: "text", text: expect.stringContaining("logtalk://my-app/readme") },
      );
    });

    it("returns a value for programs and a sentence about it for the model", async () => {
      const { content, structuredContent } = await leg.client.call("divide", { dividend: 17, divisor: 5 });
      expect(content).toEqual([{ type: "text", text: "5 goes 3 times into 17, and 2 is left." }]);
      expect(structuredContent).toEqual(isNewest ? { quotient: 3, remainder: 2 } : undefined);
    });
  });

  describe("error handling", () => {
    it("a failed predicate is a tool error", async () => {
      expect(await leg.client.call("prove")).toMatchObject({
        isError: true,
        content: [{ type: "text", text: "No proof was found." }],
      });
    });

    it("a ToolError is a tool error with its text", async () => {
      expect(await leg.client.call("throw_term")).toMatchObject({
        isError: true,
        content: [{ type: "text", text: "error(resource_error(memory), prove/1)" }],
      });
    });

    it("an unexpected exception is a tool error without its text", async () => {
      const result = await leg.client.call("crash");
      expect(result).toMatchObject({ isError: true, content: [{ type: "text", text: 'Tool "crash" failed.' }] });
    });

    it("a failed prompt is a protocol error", async () => {
      await expect(leg.client.get("broken")).rejects.toMatchObject({ code: -32603 });
    });

    it("an unreadable resource is a protocol error", async () => {
      await expect(leg.client.read("logtalk://my-app/broken")).rejects.toMatchObject({ code: -32603 });
    });

    it("failures hide their details, and the next request is answered", async () => {
      const failures = [leg.client.call("crash"), leg.client.get("broken"), leg.client.read("logtalk://my-app/broken")];
      const told = JSON.stringify(await Promise.allSettled(failures));
      expect(told).toContain("failed");
      expect(told + leg.client.transcript).not.toContain(SECRET);
      expect((await leg.client.call("factorial", { n: 1 })).content).toHaveLength(1);
    });
  });

  describe("prompts", () => {
    it("may have a description", async () => {
      const { description, messages } = await leg.client.get("debate", { topic: "tabs" });
      expect(description).toBe("A debate on tabs");
      expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
    });

    it("work without optional arguments, and complete them", async () => {
      const { messages } = await leg.client.get("code_review", { code: "foo." });
      expect(messages).toMatchObject([
        { content: { text: "Please review the following code for potential issues:\n\nfoo." } },
      ]);
      const ref = { type: "ref/prompt", name: "code_review" };
      expect(await leg.client.complete(ref, "language", "p")).toEqual(["prolog"]);
    });
  });

  it("reads several contents of one resource, texts and blobs, each with its URI and type", async () => {
    const uri = "logtalk://my-app/logs";
    expect((await leg.client.read(uri)).contents).toEqual([
      { uri, mimeType: "text/plain", text: "Log entry 1" },
      { uri, mimeType: "text/plain", text: "Log entry 2" },
      { uri: "logtalk://my-app/icon", mimeType: "image/gif", blob: expect.stringMatching(ICON) },
    ]);
  });
});

describe("ask_name with a custom call", () => {
  let answer: () => ScriptedAnswer | Promise<ScriptedAnswer>;

  describeModule({ module: MODULE, revisions: ["2025-06-18", "2026-07-28"], answers: () => answer() }, (leg) => {
    it.each<[ScriptedAnswer, string]>([
      [{ name: "Alice" }, "Hello, Alice!"],
      ["decline", "No name provided."],
      ["cancel", "No name provided."],
    ])("answered with %j says %s", async (given, text) => {
      answer = () => given;
      expect((await leg.client.call("ask_name")).content).toEqual([{ type: "text", text }]);
    });

    it("loses no message that arrives while the user thinks", async () => {
      let meanwhile: unknown;
      answer = async () => {
        meanwhile = (await leg.client.call("factorial", { n: 4 })).content;
        return { name: "Bob" };
      };
      expect((await leg.client.call("ask_name")).content).toMatchObject([{ text: "Hello, Bob!" }]);
      expect(meanwhile).toEqual([{ type: "text", text: "The factorial is: 24" }]);
    });

    it.each<[string, ScriptedAnswer]>([
      ["an unknown action", { action: "maybe" }],
      ["an accept without content", { action: "accept" }],
      ["a value of another type", { name: 5 }],
    ])("rejects %s as an answer", async (_, given) => {
      answer = () => given;
      const call = leg.client.call("ask_name");
      if (leg.revision === "2026-07-28") await expect(call).rejects.toMatchObject({ code: -32602 });
      else expect(await call).toMatchObject({ isError: true });
    });

    it("does not ask a client that does not support elicitation", async () => {
      const client = await leg.connect({ capabilities: {} });
      expect((await client.call("ask_name")).content).toMatchObject([{ text: "No name provided." }]);
    });
  });
});
