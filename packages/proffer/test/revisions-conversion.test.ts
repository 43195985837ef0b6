import { expect, it } from "vitest";
import server from "./fixtures/features.ts";
import { describeMatrix } from "./matrix.ts";
import { EVERY } from "./versions.ts";

const icons = [{ src: "https://example.com/icon.png", mimeType: "image/png", sizes: ["48x48"], theme: "dark" }];

describeMatrix({ server, module: "features.ts" }, EVERY, (leg) => {
  const { revision } = leg;
  const titles = revision >= "2025-06-18";
  const iconic = revision >= "2025-11-25";

  it("lists a tool with the properties of the revision, including false, zero and empty values", async () => {
    const tool = (await leg.client.listTools()).find(({ name }) => name === "annotated");
    const list = { type: "array", items: { type: "string" } };
    const wrapped = { type: "object", properties: { result: list }, required: ["result"] };
    expect(tool).toEqual({
      name: "annotated",
      description: "Has all that a tool can have.",
      inputSchema: { type: "object", additionalProperties: false, properties: {} },
      ...(revision === "2024-11-05"
        ? {}
        : {
            annotations: {
              title: "Shown",
              readOnlyHint: false,
              destructiveHint: false,
              idempotentHint: true,
              openWorldHint: false,
            },
          }),
      ...(titles
        ? {
            title: "",
            _meta: {
              ...{ "test/zero": 0, "test/false": false, "test/empty": [] },
              ...(revision < "2026-07-28" && { "proffer/wrapped": true }),
            },
            outputSchema: revision >= "2026-07-28" ? list : wrapped,
          }
        : {}),
      ...(iconic ? { icons } : {}),
    });
  });

  it("lists a prompt and its arguments with the properties of the revision", async () => {
    const prompt = (await leg.client.listPrompts()).find(({ name }) => name === "describe");
    expect(prompt).toEqual({
      name: "describe",
      description: "Asks for a description.",
      arguments: [
        { name: "bird", description: "which bird", required: true, ...(titles ? { title: "Bird" } : {}) },
        { name: "tone", required: false },
      ],
      ...(titles ? { title: "Describe a bird", _meta: { "test/zero": 0 } } : {}),
      ...(iconic ? { icons } : {}),
    });
  });

  it("lists a resource with the properties of the revision, including false, zero and empty values", async () => {
    const resource = (await leg.client.listResources()).find(({ uri }) => uri === "features://motto");
    expect(resource).toEqual({
      uri: "features://motto",
      name: "Motto",
      description: "Never changes.",
      mimeType: "text/markdown",
      size: 0,
      annotations: { audience: [], priority: 0, ...(titles ? { lastModified: "2026-07-28T00:00:00Z" } : {}) },
      ...(titles ? { title: "", _meta: { "test/false": false } } : {}),
      ...(iconic ? { icons } : {}),
    });
  });

  it("lists a template with the properties of the revision", async () => {
    const template = (await leg.client.listTemplates()).find(({ name }) => name === "Bird");
    expect(template).toEqual({
      uriTemplate: "features://birds/{bird}",
      name: "Bird",
      description: "What is known of it.",
      mimeType: "text/plain",
      annotations: { priority: 1, ...(titles ? { lastModified: "2026-07-28T00:00:00Z" } : {}) },
      ...(titles ? { title: "One bird", _meta: { "test/empty": "" } } : {}),
      ...(iconic ? { icons } : {}),
    });
  });

  it.each([
    ["text", "features://motto", { mimeType: "text/markdown", text: "# Write functions." }],
    ["bytes", "features://bytes", { mimeType: "application/octet-stream", blob: "AQID" }],
    ["an object", "features://object", { mimeType: "application/json", text: '{"zero":0,"no":false,"empty":""}' }],
  ])("reads fixed content of %s, the same each time", async (_what, uri, content) => {
    for (let time = 0; time < 2; time++) {
      expect((await leg.client.read(uri)).contents).toEqual([{ uri, ...content }]);
    }
  });

  it("reads a template with the variable's value decoded", async () => {
    const uri = "features://t1/a%20b";
    expect((await leg.client.read(uri)).contents).toEqual([{ uri, mimeType: "text/plain", text: "t1 a b" }]);
  });

  it("gets a prompt with its arguments filled in", async () => {
    expect((await leg.client.get("describe", { bird: "owl" })).messages).toEqual([
      { role: "user", content: { type: "text", text: "Describe the owl in a neutral tone." } },
    ]);
  });

  it.each([
    ["an unknown prompt", { name: "nothing" }, 'Unknown prompt "nothing". prompts/list returns the available prompts.'],
    ["a missing argument", { name: "describe" }, 'Missing argument "bird" of prompt "describe".'],
    [
      "an argument that is not a string",
      { name: "describe", arguments: { bird: 1 } },
      'The argument "bird" of prompt "describe" must be a string.',
    ],
    ["a name of Object.prototype", { name: "constructor" }, 'Unknown prompt "constructor"'],
    ["arguments in a list", { name: "describe", arguments: ["owl"] }, "params.arguments must be an object of strings."],
    ["no name", {}, "params.name must be the name of a prompt."],
  ])("rejects prompts/get with %s", async (_what, params, message) => {
    await expect(leg.client.request("prompts/get", params)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(message),
    });
  });

  it("asks the user if the revision has elicitation, and returns an error otherwise", async () => {
    const client = await leg.connect({ answers: [{ name: "Ada" }] });
    const { content, isError } = await client.call("greet");
    if (revision >= "2025-06-18") expect(content).toEqual([{ type: "text", text: "Hello, Ada!" }]);
    else expect({ isError, content }).toMatchObject({ isError: true, content: [{ type: "text" }] });
  });
});
