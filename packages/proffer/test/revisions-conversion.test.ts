import { expect, it } from "vitest";
import server from "./fixtures/features.ts";
import { describeMatrix } from "./matrix.ts";
import { EVERY } from "./versions.ts";

const icons = [{ src: "https://example.com/icon.png", mimeType: "image/png", sizes: ["48x48"], theme: "dark" }];

describeMatrix({ server, module: "features.ts" }, EVERY, (leg) => {
  const { revision } = leg;
  const titles = revision >= "2025-06-18";
  const iconic = revision >= "2025-11-25";

  it("describes a tool as far as the revision can, with false, zero and empty kept", async () => {
    const tool = (await leg.client.listTools()).find(({ name }) => name === "annotated");
    const list = { type: "array", items: { type: "string" } };
    const wrapped = { type: "object", properties: { result: list }, required: ["result"] };
    expect(tool).toEqual({
      name: "annotated",
      description: "Has all that a tool can have.",
      inputSchema: { type: "object", additionalProperties: false },
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
            _meta: { "test/zero": 0, "test/false": false, "test/empty": [] },
            outputSchema: revision >= "2026-07-28" ? list : wrapped,
          }
        : {}),
      ...(iconic ? { icons } : {}),
    });
  });

  it("describes a prompt and its arguments as far as the revision can", async () => {
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

  it("describes a resource as far as the revision can, with false, zero and empty kept", async () => {
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

  it("describes a template as far as the revision can", async () => {
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
  ])("reads a fixed content of %s, the same each time", async (_what, uri, content) => {
    for (let time = 0; time < 2; time++) {
      expect((await leg.client.read(uri)).contents).toEqual([{ uri, ...content }]);
    }
  });

  it("reads what a template describes, with the variable's value decoded", async () => {
    const uri = "features://t1/a%20b";
    expect((await leg.client.read(uri)).contents).toEqual([{ uri, mimeType: "text/plain", text: "t1 a b" }]);
  });

  it("gets a prompt with its arguments filled in", async () => {
    expect((await leg.client.get("describe", { bird: "owl" })).messages).toEqual([
      { role: "user", content: { type: "text", text: "Describe the owl in a neutral tone." } },
    ]);
  });

  it.each([
    ["an unknown prompt", { name: "nothing" }, 'There is no prompt named "nothing"; prompts/list has them all.'],
    ["a missing argument", { name: "describe" }, 'The prompt "describe" needs the argument "bird".'],
    [
      "an argument that is no string",
      { name: "describe", arguments: { bird: 1 } },
      'The argument "bird" of the prompt "describe" must be a string.',
    ],
    ["a name of Object.prototype", { name: "constructor" }, 'There is no prompt named "constructor"'],
    ["arguments in a list", { name: "describe", arguments: ["owl"] }, "params.arguments must be an object of strings."],
    ["no name", {}, "prompts/get needs params.name"],
  ])("refuses to get a prompt with %s", async (_what, params, message) => {
    await expect(leg.client.request("prompts/get", params)).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining(message),
    });
  });

  it("asks the user where the client can be asked, and says so where it cannot", async () => {
    const client = await leg.connect({ answers: [{ name: "Ada" }] });
    const { content, isError } = await client.call("greet");
    if (revision >= "2025-06-18") expect(content).toEqual([{ type: "text", text: "Hello, Ada!" }]);
    else expect({ isError, content }).toMatchObject({ isError: true, content: [{ type: "text" }] });
  });
});
