import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { findMissingTools, findSkills } from "proffer/process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDeriver, type Deriver } from "../src/derive/deriver.ts";
import { CHECKS, type Finding } from "../src/doctor/finding.ts";
import { asWritten, review } from "../src/doctor/review.ts";
import { describedServer, listServer } from "../src/modules/load.ts";
import { createProject, type Project } from "./project.ts";

const page = readFileSync(fileURLToPath(new URL("../../../docs/doctor.md", import.meta.url)), "utf8");

const rows = page.split("\n").flatMap((line) => {
  const match = /^\| (PF\d{4}) \| (.*?) \| `(.*)` \| `(.*)` \|$/.exec(line);
  if (!match) return [];
  const [code = "", summary = "", example = "", remedy = ""] = match
    .slice(1)
    .map((cell) => cell.replaceAll("\\|", "|"));
  return [{ code, summary, example, remedy }];
});

const BUDGETED =
  "/** Adds two numbers to a sum. @param a - the first @param b - the second */ export const add = (a: number, b: number) => a + b;";

let project: Project;
let deriver: Deriver;

beforeAll(() => {
  project = createProject();
  deriver = createDeriver(project.path("input.ts"), { check: false });
});

afterAll(() => project.remove());

/** Reviews a module that is written on one line, or a budget. */
async function findingsOf(example: string): Promise<Finding[]> {
  const isBudget = example.startsWith("{");
  const source = (isBudget ? BUDGETED : example)
    .replace("LONG", "It rates all of it. ".repeat(120))
    .replace("HUGE", "It rates it. ".repeat(4600));
  const budget = isBudget ? `, "proffer": { "budget": ${example} }` : "";
  project.write("package.json", `{ "name": "sample", "version": "1.2.3", "type": "module"${budget} }`);
  project.write("input.ts", source.replaceAll(/ (?=\/\*\*|export )/g, "\n"));
  const derivation = deriver.derive();
  expect(derivation.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const module = project.path("input.ts");
  const server = await describedServer(module, derivation);
  const listing = await listServer(server);
  const missingTools = await findMissingTools(server);
  const skilled = { server, skills: await findSkills(server) };
  const written = asWritten(listing, server);
  return review({ listing, written, sources: deriver.sources(), missingTools, skilled, module });
}

describe("docs/doctor.md", () => {
  it("lists every check once, with its summary", () => {
    expect(rows.map(({ code, summary }) => [code, summary])).toEqual(Object.entries(CHECKS));
  });

  it.each(rows)(
    "$code is found in the example, with a place and a remedy, and not in the other",
    async ({ code, example, remedy }) => {
      const found = (await findingsOf(example)).find((finding) => finding.code === code);
      expect(found).toMatchObject({ file: expect.stringContaining(project.folder), line: expect.any(Number) });
      expect(found?.remedy).toBeTruthy();
      expect((await findingsOf(remedy)).map((finding) => finding.code)).not.toContain(code);
    },
  );
});

describe("the item of a finding", () => {
  it("is the prompt, the resource or the template", async () => {
    const findings = await findingsOf(
      [
        "/** @prompt */ export const review = (code: string): string => code;",
        "/** @resource shop://all */ export const all = (): string => '';",
        "/** @resource shop://{id} */ export const one = (id: string): string => id;",
      ].join(" "),
    );
    expect(findings.filter(({ code }) => code === "PF4010").map(({ item }) => item)).toEqual([
      { kind: "prompt", key: "review" },
      { kind: "resource", key: "shop://all" },
      { kind: "template", key: "shop://{id}" },
    ]);
  });
});

it("S10 says of a skill in three ways that a tool does not exist, was renamed or is hidden", async () => {
  const tool = (name: string, more = "") =>
    `defineTool({ name: "${name}", description: "Finds the orders of today.", handle: () => ""${more} })`;
  const findings = await findingsOf(
    [
      'import { defineServer, defineTool } from "proffer"; import { defineSkill } from "proffer/skills";',
      `const tools = [${tool("find_order", ', was: ["get_order"]')}, ${tool("drop_order")}];`,
      'const text = "Call \\u0060find_ordr\\u0060, \\u0060get_order\\u0060, \\u0060drop_order\\u0060 and \\u0060find_order\\u0060.";',
      'const skills = defineSkill({ name: "refunds", description: "Use it to refund.", text });',
      'export default defineServer({ name: "shop", version: "1.0.0", tools, skills, shows: ({ name }) => name !== "drop_order" });',
    ].join(" "),
  );
  const item = { kind: "resource", key: "skill://refunds/SKILL.md" };
  expect(findings.filter(({ code = "" }) => /^PF41/.test(code))).toMatchObject([
    {
      ...{ code: "PF4100", item, remedy: "Did you mean find_order?" },
      message: "refunds/SKILL.md names the tool find_ordr, which does not exist.",
    },
    { code: "PF4101", item, message: "refunds/SKILL.md names get_order, which was renamed to find_order." },
    {
      ...{ code: "PF4102", item },
      message: "refunds/SKILL.md names the tool drop_order, which is hidden: no client sees it by default.",
    },
  ]);
});

describe("proffer doctor", () => {
  it("names the place of each finding, fails over the budget, and prints the cost", async () => {
    project.write(
      "package.json",
      '{ "name": "sample", "version": "1.2.3", "type": "module", "proffer": { "budget": { "tokens": 10 } } }',
    );
    project.write(
      "shop.ts",
      "const helper = () => { throw new Error('x'); };",
      "/** Counts the orders of today. */",
      "export const count = (day: string) => helper();",
    );
    const { status, stdout } = await project.proffer("doctor", "shop.ts");
    expect(status).toBe(1);
    expect(stdout).toContain("! shop.ts:3 PF4030 The parameter 'day' of 'count' has no description.");
    expect(stdout).toContain("! shop.ts:1 PF4060 count throws an error whose message no model will read.");
    expect(stdout).toMatch(
      /✗ shop\.ts:3 PF4001 The tools cost about \d+ tokens of every conversation \(count \d+\)\. The budget is 10\./,
    );
    const findings: Finding[] = JSON.parse((await project.proffer("doctor", "shop.ts", "--json")).stdout);
    const items = new Map(findings.map(({ code, item }) => [code, item]));
    const count = { kind: "tool", key: "count" };
    expect([items.get("PF4030"), items.get("PF4060"), items.get("PF4001")]).toEqual([count, count, undefined]);
    expect(findings.find(({ code }) => code === "PF4001")).toMatchObject({
      level: "error",
      cost: { tools: [{ name: "count", description: expect.any(Number), parameters: expect.any(Number), output: 0 }] },
    });
  });

  it("reviews 510 similar tools, of which it compares 500, and descriptions of 100 kB, without flooding the screen", async () => {
    const tools = Array.from(
      { length: 510 },
      (_, n) =>
        `/** Finds the orders of customer ${"x".repeat(n === 0 ? 100_000 : 1)}. */ export const findOrders${n} = () => 1;`,
    );
    const findings = await findingsOf(tools.join(" "));
    expect(findings.filter(({ code }) => code === "PF4020").length).toBeLessThan(30);
    expect(findings.map(({ code }) => code)).toEqual(expect.arrayContaining(["PF4004", "PF4014"]));
    const messages = findings.map(({ message }) => message);
    // All of them without the one with the long description.
    expect(messages).toContain(`${(499 * 498) / 2 - 20} more pairs of tools are hard to tell apart.`);
    expect(messages).toContain("Only the first 500 of 510 tools were compared.");
  });

  it("permits work before a question in a tool that only reads, and in functions that get the context", async () => {
    const source = (tag: string, call: string) =>
      `import type { Context } from "proffer"; const load = async (ctx?: Context) => ctx ? 1 : 2; /** Buys a ticket for a train. ${tag} */ export async function buy(ctx: Context): Promise<string> { const n = await ${call}; const { action } = await ctx.ask<{ seat: string }>("Which?"); await load(); return action + n; }`;
    const codes = async (tag: string, call: string) => (await findingsOf(source(tag, call))).map(({ code }) => code);
    expect(await codes("", "load()")).toContain("PF4080");
    expect(await codes("@readOnly", "load()")).not.toContain("PF4080");
    expect(await codes("", "load(ctx)")).not.toContain("PF4080");
    expect(await codes("", 'Promise.all([ctx.step("a", load), ctx.ask<{ x: string }>("X?")])')).not.toContain("PF4080");
  });
});
