import { definePrompt, defineServer } from "proffer";
import { connect } from "proffer/testing";
import { expect, it } from "vitest";
import server from "./fixtures/features.ts";
import { describeMatrix } from "./matrix.ts";
import { EVERY } from "./versions.ts";

const prompt = { type: "ref/prompt", name: "describe" };
const template = { type: "ref/resource", uri: "features://birds/{bird}" };

describeMatrix({ server, module: "features.ts" }, EVERY, (leg) => {
  it.each([
    ["a prompt's argument", prompt],
    ["a template's variable", template],
  ])("suggests values for %s from a list that match the typed prefix", async (_what, ref) => {
    expect(await leg.client.complete(ref, "bird", "")).toEqual(["eagle", "emu", "magpie", "owl"]);
    expect(await leg.client.complete(ref, "bird", "e")).toEqual(["eagle", "emu"]);
    expect(await leg.client.complete(ref, "bird", "EM")).toEqual(["emu"]);
    expect(await leg.client.complete(ref, "bird", "x")).toEqual([]);
  });

  it("suggests values from a function that receives the other arguments", async () => {
    expect(await leg.client.complete(prompt, "tone", "very ", { bird: "owl" })).toEqual([
      "very stern owl",
      "very soft owl",
    ]);
    expect(await leg.client.complete(prompt, "tone", "")).toEqual(["stern bird", "soft bird"]);
  });

  it("suggests nothing without a completion source", async () => {
    expect(await leg.client.complete({ type: "ref/resource", uri: "features://t1/{id}" }, "id", "")).toEqual([]);
  });

  it.each([
    ["an unknown prompt", { ref: { type: "ref/prompt", name: "nothing" }, argument: { name: "a", value: "" } }],
    [
      "a name of Object.prototype",
      { ref: { type: "ref/prompt", name: "__proto__" }, argument: { name: "a", value: "" } },
    ],
    ["an unknown template", { ref: { type: "ref/resource", uri: "x://{y}" }, argument: { name: "y", value: "" } }],
    ["an unknown argument", { ref: prompt, argument: { name: "nothing", value: "" } }],
    ["an unknown variable", { ref: template, argument: { name: "constructor", value: "" } }],
    ["a reference of another kind", { ref: { type: "ref/tool", name: "echo" }, argument: { name: "text", value: "" } }],
    ["no reference", { argument: { name: "bird", value: "" } }],
    ["no argument", { ref: prompt }],
    ["a value that is not a string", { ref: prompt, argument: { name: "bird", value: 1 } }],
  ])("rejects %s", async (_what, params) => {
    await expect(leg.client.request("completion/complete", params)).rejects.toMatchObject({ code: -32602 });
  });
});

const many = Array.from({ length: 250 }, (_, n) => `value ${n}`);

it("a completion has at most 100 values, and reports that there are more", async () => {
  const big = definePrompt({ name: "big", arguments: { n: { complete: many } }, get: () => "" });
  const client = await connect(defineServer({ name: "s", version: "1", prompts: [big] }));
  const params = { ref: { type: "ref/prompt", name: "big" }, argument: { name: "n", value: "value" } };
  const { completion } = await client.request("completion/complete", params);
  expect(completion).toEqual({ values: many.slice(0, 100), total: 250, hasMore: true });
});

it("a server without completions does not declare the capability", async () => {
  const plain = definePrompt({ name: "plain", arguments: { n: {} }, get: () => "" });
  const client = await connect(defineServer({ name: "s", version: "1", prompts: [plain] }));
  const { capabilities } = await client.request("server/discover");
  expect(capabilities).not.toHaveProperty("completions");
  await expect(client.complete({ type: "ref/prompt", name: "plain" }, "n", "")).rejects.toMatchObject({ code: -32601 });
});
