import { existsSync, readdirSync } from "node:fs";
import { afterAll, beforeEach, expect, it } from "vitest";
import { createProject, type Project } from "./project.ts";

const projects: Project[] = [];
let project: Project;

beforeEach(() => {
  project = createProject();
  projects.push(project);
});

afterAll(() => {
  for (const each of projects) each.remove();
});

/** A CommonJS package with its own compiler settings, scripts and style. */
const OLD_APP =
  '{\n\t"name": "old-app",\n\t"scripts": { "mcp": "mine", "test": "mocha" },\n\t"dependencies": { "express": "^5.0.0" }\n}\n';

it("proffer add keeps what exists, and serves a CommonJS package at once", async () => {
  project.write("package.json", OLD_APP.trimEnd());
  project.write("tsconfig.json", '{\n  // mine\n  "compilerOptions": { "module": "commonjs", "types": ["mocha"] }\n}');
  project.write(".gitignore", "node_modules");
  project.write("src/tools.ts", "export const mine = 1;");
  const { status, stdout, stderr } = await project.proffer("add", "--no-install");
  expect([status, stdout.split("\n")]).toEqual([
    0,
    ["npm install", "npx proffer check src/mcp.ts", "npx proffer dev src/mcp.ts --http", ""],
  ]);
  expect(stderr).toContain('+ \t\t"proffer": "file:vendor/proffer-');
  const text = project.read("package.json");
  const content = JSON.parse(text);
  expect(content.scripts).toEqual({
    mcp: "mine",
    test: "mocha",
    "mcp:dev": "proffer dev src/mcp.ts --http",
    "mcp:check": "proffer check src/mcp.ts",
  });
  expect(Object.keys(content.dependencies)).toEqual(["express", "proffer"]);
  expect(Object.keys(content.devDependencies)).toEqual(["@proffer/cli", "@proffer/inspector", "@types/node"]);
  expect([content.type, text.startsWith('{\n\t"name": "old-app",\n\t"scripts": {')]).toEqual([undefined, true]);
  expect(project.read("tsconfig.json")).toContain("// mine");
  expect(project.read("tsconfig.json")).toMatch(/"types": \[\s*"mocha",\s*"node"\s*\]/);
  expect(project.read(".gitignore")).toBe("node_modules\n.proffer/\n");
  expect(project.read("src/tools.ts")).toBe("export const mine = 1;\n");
  for (const { file } of Object.entries({ ...content.dependencies, ...content.devDependencies })
    .filter(([, range]) => String(range).startsWith("file:"))
    .map(([, range]) => ({ file: String(range).slice(5) }))) {
    expect(existsSync(project.path(file))).toBe(true);
  }
  project.write("tsconfig.json", '{ "compilerOptions": { "module": "commonjs" } }');
  expect((await project.proffer("call", "src/mcp.ts", "add", "--arg", "a=1", "--arg", "b=2")).stdout).toBe("3\n");
  // A second time, nothing is left to do.
  const again = await project.proffer("add", "--dry-run");
  expect(again.stderr).toContain("package.json needs no change.");
  expect(again.stderr).toContain("src/mcp.ts exists and stays as it is.");
});

it("proffer add changes nothing with --dry-run, and warns of a resolution that does not find the entries", async () => {
  project.write("tsconfig.json", '{ "compilerOptions": { "moduleResolution": "node" } }');
  const before = readdirSync(project.folder).sort();
  const { status, stderr } = await project.proffer("add", "--dry-run");
  expect([status, stderr]).toEqual([0, expect.stringContaining('+     "proffer": "file:vendor/')]);
  expect(stderr).toContain('warning: tsconfig.json has "moduleResolution": "node"');
  expect(readdirSync(project.folder).sort()).toEqual(before);
});

it.each([
  ["pnpm", "pnpm-workspace.yaml", {}],
  ["yarn", "yarn.lock", {}],
  ["npm", "package-lock.json", {}],
  ["bun", "package-lock.json", { packageManager: "bun@1.4.4" }],
])("proffer add in a workspace says how %s installs", async (manager, lock, more) => {
  project.write(lock, "{}");
  project.write("package.json", '{ "name": "root", "workspaces": ["packages/*"] }');
  project.write("packages/api/package.json", JSON.stringify({ name: "api", dependencies: { proffer: "*" }, ...more }));
  const { status, stdout, stderr } = await project.proffer("add", "packages/api", "--dry-run");
  expect([status, stdout]).toEqual([0, ""]);
  expect(stderr).toContain("mcp.ts:");
  // The scripts and packages are there already, so that nothing has to be packed.
  const scripts = { mcp: "", "mcp:dev": "", "mcp:check": "" };
  const devDependencies = { "@proffer/cli": "*", "@proffer/inspector": "*", "@types/node": "*" };
  const content = { name: "api", dependencies: { proffer: "*" }, devDependencies, scripts, ...more };
  project.write("packages/api/package.json", JSON.stringify(content));
  const written = await project.proffer("add", "packages/api", "--no-install");
  // From the root, because Yarn 1 does not find the tarballs otherwise.
  expect(written.stdout.split("\n").slice(0, 2)).toEqual([`${manager} install`, "cd packages/api"]);
  expect(existsSync(project.path("packages/api/vendor"))).toBe(false);
});

it("proffer add refuses a folder without a package.json, and a damaged one", async () => {
  project.write("empty/readme.txt", "");
  const missing = await project.proffer("add", "empty");
  expect([missing.status, missing.stderr]).toEqual([1, expect.stringContaining("run: npx proffer init empty")]);
  project.write("broken/package.json", '{ "name": ');
  const broken = await project.proffer("add", "broken");
  expect([broken.status, broken.stderr]).toEqual([1, expect.stringContaining("package.json is not valid JSON")]);
  expect(readdirSync(project.path("broken"))).toEqual(["package.json"]);
});

it("proffer init of a project that exists names proffer add", async () => {
  const { status, stderr } = await project.proffer("init", "--no-install");
  expect([status, stderr]).toEqual([1, expect.stringContaining("To add Proffer to the project, run: npx proffer add")]);
});
