import { defineServer, defineTool } from "proffer";
import { connect } from "proffer/testing";
import { describe, expect, it } from "vitest";

describe("ctx.client.profile", () => {
  const tool = defineTool({ name: "who", handle: (_, ctx) => ctx.client.profile?.id ?? "unknown" });
  const server = defineServer({ name: "s", version: "1", tools: [tool] });

  it.each(["2025-06-18", "2026-07-28"])("is found by the name of the client on %s", async (revision) => {
    const who = async (name: string) => (await connect(server, { revision, info: { name, version: "1" } })).call(tool);
    expect(await who("codex-mcp-client")).toMatchObject({ content: [{ text: "codex" }] });
    expect(await who("codex-mcp-client (via mcp-remote 0.15.1)")).toMatchObject({ content: [{ text: "codex" }] });
    expect(await who("gemini-cli-mcp-client-x (via mcp-remote 1)")).toMatchObject({
      content: [{ text: "gemini-cli" }],
    });
    expect(await who("other (via mcp-remote codex-mcp-client)")).toMatchObject({ content: [{ text: "unknown" }] });
    expect(await who("other")).toMatchObject({ content: [{ text: "unknown" }] });
  });
});
