import { describe, expect, it } from "vitest";
import type { ClientCapabilities } from "../protocol/model.ts";
import { defineServer } from "../server/server.ts";
import { connect } from "../testing/connect.ts";
import { defineTool, type RequiredCapability } from "../tools/define.ts";
import { missingCapabilities } from "./client.ts";

describe("missing capabilities", () => {
  it.each<[string, ClientCapabilities, ClientCapabilities, ClientCapabilities | undefined]>([
    ["nothing that is not required", {}, {}, undefined],
    ["what it did not declare", { roots: {} }, {}, { roots: {} }],
    [
      "no form, if it declared elicitation before there were modes",
      { elicitation: { form: {} } },
      { elicitation: {} },
      undefined,
    ],
    [
      "a form, if it declared only urls",
      { elicitation: { form: {} } },
      { elicitation: { url: {} } },
      { elicitation: { form: {} } },
    ],
    [
      "urls, if it declared only forms",
      { elicitation: { url: {} } },
      { elicitation: { form: {} } },
      { elicitation: { url: {} } },
    ],
    ["urls, if it declared no mode", { elicitation: { url: {} } }, { elicitation: {} }, { elicitation: { url: {} } }],
    ["the tools of sampling alone", { sampling: { tools: {} } }, { sampling: {} }, { sampling: { tools: {} } }],
    [
      "several things at once",
      { sampling: {}, roots: {}, elicitation: { form: {} } },
      { roots: {} },
      { sampling: {}, elicitation: { form: {} } },
    ],
    ["what it declared as null", { roots: {} }, { roots: null } as never, { roots: {} }],
  ])("are %s", (_what, required, declared, expected) => {
    expect(missingCapabilities(required, declared)).toEqual(expected);
  });
});

describe("a tool that requires a client capability", () => {
  function serve(...requires: RequiredCapability[]) {
    const ran: string[] = [];
    const tool = defineTool({ name: "t", requires, handle: () => void ran.push("ran") });
    return { ran, server: defineServer({ name: "s", version: "1", tools: [tool] }) };
  }

  it("does not run for a client without it; the newest revision gets an error that names it", async () => {
    const { server, ran } = serve("elicitation", "sampling.tools");
    const client = await connect(server, { capabilities: { sampling: {} } });
    await expect(client.call("t")).rejects.toMatchObject({
      code: -32021,
      message: 'Tool "t" requires a client that supports elicitation and sampling; this client did not declare it.',
      data: { requiredCapabilities: { elicitation: { form: {} }, sampling: { tools: {} } } },
    });
    expect(ran).toEqual([]);
  });

  it.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])(
    "does not run for a client without it: a failure that the model can read, in %s",
    async (revision) => {
      const { server, ran } = serve("elicitation.url");
      const client = await connect(server, { revision, capabilities: { elicitation: {} } });
      expect(await client.call("t")).toEqual({
        isError: true,
        content: [
          {
            type: "text",
            text: 'Tool "t" requires a client that supports elicitation; this client did not declare it.',
          },
        ],
      });
      expect(ran).toEqual([]);
    },
  );

  it("runs for a client that has it", async () => {
    const { server, ran } = serve("elicitation", "elicitation.url", "sampling", "sampling.tools", "roots");
    await (await connect(server)).call("t");
    expect(ran).toEqual(["ran"]);
  });

  it("cannot require an unknown capability", () => {
    const requires = ["telepathy" as never];
    expect(() => defineTool({ name: "t", requires, handle: () => "" })).toThrow(
      'Tool "t" requires the unknown capability "telepathy". Use elicitation',
    );
    expect(() => defineTool({ name: "t", requires: ["toString" as never], handle: () => "" })).toThrow(
      expect.objectContaining({ code: "bad_option" }),
    );
  });
});
