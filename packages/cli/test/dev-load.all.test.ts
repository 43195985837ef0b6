import { afterAll, beforeAll, expect, it } from "vitest";
import { distFile } from "../../proffer/test/dist.ts";
import { createProject, type Project } from "./project.ts";

let project: Project;

beforeAll(() => {
  project = createProject();
});

afterAll(() => project.remove());

// dev loads modules in a different way than serve and call, but the errors must be the same.
it("proffer dev reports an exception of the module exactly like serve and call", async () => {
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
  const { status, stderr } = project.profferProcess({}, "dev", "thrown.ts");
  expect(stderr).toContain(`${project.path("thrown.ts")}:6:56`);
  expect(project.profferProcess({}, "call", "thrown.ts", "a")).toMatchObject({ status, stderr });
});

it("proffer dev explains a circular import exactly like serve and call", async () => {
  project.write(
    "cycle.ts",
    'import { b } from "./b.ts";',
    "export const x = 1;",
    "/** A. */",
    "export const a = () => b;",
  );
  project.write("b.ts", 'import { x } from "./cycle.ts";', "export const b: number = x + 1;");
  const { status, stderr } = project.profferProcess({}, "dev", "cycle.ts");
  expect(stderr).toContain("The cause may be a circular import.");
  expect(project.profferProcess({}, "call", "cycle.ts", "a")).toMatchObject({ status, stderr });
});

it("proffer dev serves a project with a CommonJS file that imports modules", async () => {
  project.write("common.cts", 'export const lazy = async () => (await import("./module.js")).word;');
  project.write("module.ts", 'export const word = "module";');
  project.write("mixed.ts", 'import { lazy } from "./common.cjs";', "/** A. */", "export const a = () => lazy();");
  const command = [process.execPath, distFile("bin.js"), "dev", "mixed.ts"];
  expect(await project.proffer("call", "a", "--", ...command)).toMatchObject({ status: 0, stdout: "module\n" });
});
