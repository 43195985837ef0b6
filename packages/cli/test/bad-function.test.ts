import { afterAll, beforeAll, expect, it } from "vitest";
import { createCompiler } from "../src/dev/compiler-worker.ts";
import { openVersions, type Versions } from "../src/dev/versions.ts";
import { prepareModule } from "../src/modules/prepare-module.ts";
import { createProject, type Project } from "./project.ts";

let project: Project;
let versions: Versions;

const GOOD = ["/** Adds. */", "export const add = (a: number, b: number) => a + b;"];
const BAD = [
  "/** Waits. */",
  "export function wait(done: () => void) { done(); }",
  "/** Takes. @param n - how many. @minimum few */",
  "export function take(n: number) { return n; }",
];

beforeAll(() => {
  project = createProject();
  project.write("tools.ts", ...GOOD, ...BAD);
  versions = openVersions(project.path("tools.ts"), createCompiler(project.path("tools.ts")));
});

afterAll(() => {
  versions.clear();
  project.remove();
});

async function next(...lines: string[]) {
  project.write("tools.ts", ...lines);
  const { server, derivation } = await versions.next();
  return { tools: [...server.tools].map(({ name }) => name), codes: derivation.diagnostics.map(({ code }) => code) };
}

it("dev serves the functions without errors, and every function once it is fixed", async () => {
  expect(await next(...GOOD, ...BAD)).toEqual({ tools: ["add"], codes: ["PF1102", "PF1201"] });
  expect(await next(...GOOD, ...BAD.slice(2))).toEqual({ tools: ["add"], codes: ["PF1201"] });
  expect(await next(...BAD)).toEqual({ tools: [], codes: ["PF1102", "PF1201"] });
  expect(await next(...GOOD)).toEqual({ tools: ["add"], codes: [] });
});

it("dev refuses a module whose error concerns all of it", async () => {
  const server =
    'import { defineServer } from "proffer"; export const shop = defineServer({ name: "a", version: "1" });';
  await expect(next(server, ...GOOD)).rejects.toThrow("PF1702");
  await expect(next(...GOOD, "export const broken = (")).rejects.toThrow("TS1");
  await expect(next("export const limit = 5;")).rejects.toThrow("PF1002");
});

it("serve refuses a module with a bad function, with every error and a hint", async () => {
  project.write("refused.ts", ...GOOD, ...BAD);
  const error: Error = await prepareModule(project.path("refused.ts")).then(
    () => expect.fail("The module was served."),
    (reason) => reason,
  );
  expect(error.message).toMatch(/refused\.ts:4:22 error PF1102 .* Remove it/);
  expect(error.message).toMatch(/refused\.ts:5:33 error PF1201 .* must be a number/);
  expect(error.message).toContain("proffer dev serves the functions without errors");
});
