import { connect } from "proffer/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDeriver } from "../src/derive/index.ts";
import { load } from "../src/index.ts";
import { buildModule } from "./build-module.ts";
import { createProject, type Project } from "./project.ts";

let project: Project;

beforeAll(() => {
  project = createProject();
});

afterAll(() => project.remove());

describe("@was", () => {
  it("keeps earlier names of functions, from the sources and in a build", async () => {
    project.write(
      "shop.ts",
      "/** Finds orders. @param text - the words @was search @was orders.find look */",
      "export const find = (text: string) => [text];",
      "/** Greets. @prompt @was hello */",
      "export const greet = (name: string) => name;",
    );
    buildModule(project.path("shop.ts"), project.path("dist"));
    for (const file of ["shop.ts", "dist"]) {
      const client = await connect(await load(project.path(file)));
      for (const name of ["find", "search", "orders.find", "look"]) {
        expect(await client.call(name, { text: "pen" })).toMatchObject({ structuredContent: ["pen"] });
      }
      // Only typed clients read them; no model sees `_meta`.
      const [{ _meta, ...listed } = { _meta: {} }, ...others] = await client.listTools();
      expect(others).toEqual([]);
      expect(JSON.stringify(listed)).not.toContain("search");
      expect(_meta).toMatchObject({ "proffer/names": ["search", "orders.find", "look"] });
      expect(await client.get("hello", { name: "Ada" })).toMatchObject({ messages: [{ content: { text: "Ada" } }] });
      await client.close();
    }
    expect((await project.proffer("call", "shop.ts", "search", "--arg", "text=5")).stdout).toBe('["5"]\n');
  });

  it("is an error with both places if another function has the name or had it", () => {
    project.write(
      "clash.ts",
      "/** A. @was b */ export const a = () => 1;",
      "/** B. */ export const b = () => 1;",
      "/** C. @was old */ export const c = () => 1;",
      "/** D. @was old */ export const d = () => 1;",
      "/** E. @was e */ export const e = () => 1;",
      "/** F. @was not-a-name! */ export const f = () => 1;",
      "/** G. @resource x://g @was h */ export const g = () => 1;",
      "/** P. @prompt @was a */ export const p = () => '';",
    );
    const { diagnostics, tools, prompts } = createDeriver(project.path("clash.ts"), { check: false }).derive();
    const file = project.path("clash.ts");
    expect(diagnostics.map(({ code, line, message }) => [code, line, message])).toEqual([
      ["PF1350", 1, `'a' has the tag @was b, which is the name of 'b' (${file}:2). Remove the tag, or rename 'b'.`],
      [
        "PF1350",
        4,
        `'d' has the tag @was old, which is an earlier name of 'c' (${file}:3). Remove the tag, or rename 'c'.`,
      ],
      ["PF1350", 5, "'e' has the tag @was with its present name. Remove it."],
      ["PF2102", 6, expect.stringContaining("must be one or more names")],
      ["PF2103", 7, expect.stringContaining("applies only to tools, prompts")],
    ]);
    expect(tools.map(({ name }) => name)).toEqual(["b", "c", "f"]);
    expect(prompts).toMatchObject([{ name: "p", was: ["a"] }]);
  });

  it("is an error with both places if the exported server has the name", async () => {
    project.write(
      "combined.ts",
      'import { defineServer, defineTool } from "proffer";',
      'const search = defineTool({ name: "search", handle: () => 1 });',
      'export const server = defineServer({ name: "x", version: "1.0.0", tools: [search] });',
      "/** Finds. @was search */ export const find = () => 1;",
    );
    await expect(load(project.path("combined.ts"))).rejects.toThrow(
      /Duplicate tool "search", a name or an earlier name of "find" and "search".* the function find \(combined\.ts:4\)/,
    );
  });
});
