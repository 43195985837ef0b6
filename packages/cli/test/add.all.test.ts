import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeEach, expect, it } from "vitest";
import { distFile } from "../../proffer/test/dist.ts";

// `proffer add` of the clone in workspaces, each installed by its package manager.

const empty = realpathSync(mkdtempSync(join(tmpdir(), "proffer-add-")));
let root: string;
let output: string;

beforeEach(() => {
  root = mkdtempSync(join(empty, "app-"));
  output = "";
});
afterAll(() => rmSync(empty, { recursive: true, force: true }));

function write(path: string, content: string | object): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), typeof content === "string" ? content : JSON.stringify(content));
}

/** Runs a command in a folder of the project, and returns what it prints to stdout. */
function run(folder: string, command: string, ...args: string[]): string {
  const { stdout, stderr } = spawnSync(command, args, {
    ...{ cwd: join(root, folder), encoding: "utf8", input: "", timeout: 600_000, shell: process.platform === "win32" },
    // Yarn 1 keeps a tarball of the same name and version, although it has changed.
    env: {
      ...process.env,
      YARN_CACHE_FOLDER: join(empty, "yarn"),
      YARN_ENABLE_IMMUTABLE_INSTALLS: "0",
      YARN_ENABLE_TELEMETRY: "0",
    },
  });
  output += `${stdout}${stderr}`;
  return stdout;
}

const npx = (name: string, bin: string) => ["npx", "--yes", "--package", name, bin];
const PNPM = npx("pnpm@10", "pnpm");
const YARN = npx("yarn@1", "yarn");
const BERRY = npx("@yarnpkg/cli-dist@4", "yarn");
const WORKSPACES = { "package.json": { name: "root", private: true, workspaces: ["packages/*"] } };
const NODE_MODULES = { ".yarnrc.yml": "nodeLinker: node-modules\n" };

/** Managers, how they run, the files of their workspace, and how it names a package beside another. */
const MANAGERS: [name: string, command: string[], files: Record<string, string | object>, range: string][] = [
  ["npm", ["npm"], WORKSPACES, "*"],
  [
    "pnpm",
    PNPM,
    { "package.json": { name: "root", private: true }, "pnpm-workspace.yaml": "packages:\n  - packages/*\n" },
    "workspace:*",
  ],
  ["yarn 1", YARN, { ...WORKSPACES, "yarn.lock": "" }, "*"],
  ["yarn 4", BERRY, { ...WORKSPACES, ...NODE_MODULES, "yarn.lock": "" }, "workspace:*"],
];

it.each(MANAGERS)("proffer add works in a CommonJS package of a workspace of %s", (_, manager, files, range) => {
  for (const [path, content] of Object.entries(files)) write(path, content);
  write("packages/lib/package.json", { name: "lib", version: "1.0.0", main: "index.js", types: "index.d.ts" });
  write("packages/lib/index.js", "exports.twice = (n) => n * 2;\n");
  write("packages/lib/index.d.ts", "export declare function twice(n: number): number;\n");
  write("packages/api/package.json", { name: "api", version: "1.0.0", dependencies: { lib: range } });
  write("packages/api/tsconfig.json", { compilerOptions: { module: "commonjs", strict: true } });
  write("packages/api/src/old.ts", "module.exports = {};\n");
  const added = run("", process.execPath, distFile("bin.js"), "add", "packages/api");
  expect(added).toContain("npx proffer check src/mcp.ts");
  expect(readFileSync(join(root, "packages/api/src/old.ts"), "utf8")).toBe("module.exports = {};\n");
  const [command = "", ...words] = manager;
  // npm has installed already.
  if (command === "npx") run("", command, ...words, "install");
  if (/\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT)\b/.test(output)) {
    console.warn("proffer add is NOT tested: the registry cannot be reached.");
    return;
  }
  expect(run("packages/api", "npx", "proffer", "call", "src/mcp.ts", "add", "--arg", "a=1", "--arg", "b=2")).toBe(
    "3\n",
  );
  write(
    "packages/api/src/mcp.ts",
    'import { twice } from "lib";\n/** Doubles a number. */\nexport const double = (n: number): number => twice(n);\n',
  );
  expect(run("packages/api", "npx", "proffer", "call", "src/mcp.ts", "double", "--arg", "n=4")).toBe("8\n");
  // The scripts that it added.
  const script = command === "npx" ? [...words, "run", "mcp:check"] : ["run", "mcp:check"];
  expect(run("packages/api", command, ...script)).toContain("double(n)  Doubles a number.");
  run("packages/api", "npx", "proffer", "build", "src/mcp.ts", "--out", "dist");
  expect(output).toContain("It was started once to check it.");
  expect(output).toContain("lib is a package of this workspace. To install the build elsewhere, publish it");
});

it("proffer build with Plug'n'Play says how to go on, because its packages are in archives", () => {
  write("package.json", { name: "app" });
  write("yarn.lock", "");
  run("", process.execPath, distFile("bin.js"), "add", "--no-install");
  const [command = "", ...words] = BERRY;
  run("", command, ...words, "install");
  if (/\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT)\b/.test(output)) return;
  expect(run("", command, ...words, "proffer", "call", "mcp.ts", "add", "--arg", "a=1", "--arg", "b=2")).toBe("3\n");
  run("", command, ...words, "proffer", "build", "mcp.ts", "--out", "dist");
  expect(output).toContain("nodeLinker: node-modules");
});
