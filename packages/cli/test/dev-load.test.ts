import { afterAll, beforeAll, expect, it } from "vitest";
import { distFile } from "../../proffer/test/dist.ts";
import { createProject, type Project } from "./project.ts";

let project: Project;

beforeAll(() => {
  project = createProject();
});

afterAll(() => project.remove());

// The two load modules in ways of their own.
it("proffer dev shows what a module threw exactly as serve and call do", () => {
  project.write("fail.ts", 'export const fail = (at: string): never => { throw new Error("no " + at); };');
  project.write(
    "thrown.ts",
    'import { fail } from "./fail.ts";',
    "interface Place {",
    "  name: string;",
    "}",
    "await Promise.resolve();",
    "const deep = (place: Place) => [fail, place].map(() => fail(place.name));",
    'deep({ name: "here" });',
    "/** A. */",
    "export const a = () => 1;",
  );
  const { status, stderr } = project.proffer("dev", "thrown.ts");
  expect(stderr).toContain(`${project.path("thrown.ts")}:6:56`);
  expect(project.proffer("call", "thrown.ts", "a")).toMatchObject({ status, stderr });
});

it("proffer dev explains modules that import each other too early as serve and call do", () => {
  project.write(
    "cycle.ts",
    'import { b } from "./b.ts";',
    "export const x = 1;",
    "/** A. */",
    "export const a = () => b;",
  );
  project.write("b.ts", 'import { x } from "./cycle.ts";', "export const b: number = x + 1;");
  const { status, stderr } = project.proffer("dev", "cycle.ts");
  expect(stderr).toContain("Two modules that import each other may be the reason");
  expect(project.proffer("call", "cycle.ts", "a")).toMatchObject({ status, stderr });
});

it("proffer dev serves a project with CommonJS in it, which may require modules", () => {
  project.write("common.cts", 'export const lazy = async () => (await import("./module.js")).word;');
  project.write("module.ts", 'export const word = "module";');
  project.write("mixed.ts", 'import { lazy } from "./common.cjs";', "/** A. */", "export const a = () => lazy();");
  const command = [process.execPath, distFile("bin.js"), "dev", "mixed.ts"];
  expect(project.proffer("call", "a", "--", ...command)).toMatchObject({ status: 0, stdout: "module\n" });
});
