import { writeFileSync } from "node:fs";
import { linkCommand } from "proffer/client";
import { connect, connectOver } from "proffer/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createDeriver } from "../src/derive/index.ts";
import { type Compiler, startCompiler } from "../src/dev/compiler-thread.ts";
import { createCompiler } from "../src/dev/compiler-worker.ts";
import { openVersions } from "../src/dev/versions.ts";
import { createProject, type Project } from "./project.ts";

let project: Project;
let module: string;

beforeAll(() => {
  project = createProject();
  module = project.path("tools.ts");
  edit("one");
});

afterAll(() => project.remove());

const edit = (word: string) => writeFileSync(module, `/** Says. */\nexport const say = () => "${word}";\n`);
const textOf = (result: { content: readonly unknown[] }) => (result.content[0] as { text: string }).text;

/** A compiler that cannot be used before `ready` resolves. */
function delayed(compiler: Compiler, ready: Promise<void>): Compiler {
  return {
    derive: () => ready.then(() => compiler.derive()),
    emit: (outDir) => ready.then(() => compiler.emit(outDir)),
    positions: () => compiler.positions(),
    sources: () => compiler.sources(),
    save: (derivation) => ready.then(() => compiler.save(derivation)),
  };
}

it("dev writes its first derivation to the cache, and none after it", async () => {
  const versions = openVersions(module, createCompiler(module));
  expect(await versions.cached()).toBeUndefined();
  await versions.next();
  expect(await versions.cached()).toBeDefined();
  edit("two");
  await versions.next();
  expect(await versions.cached()).toBeUndefined();
  edit("one");
  expect(await versions.cached()).toBeDefined();
  versions.clear();
});

it("dev serves the version in the cache before the compiler is ready, and then confirms it", async () => {
  let begin = () => {};
  const ready = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const versions = openVersions(module, delayed(createCompiler(module), ready));
  const version = await versions.cached();
  const client = await connect(version?.server ?? expect.fail("There is no valid cache."));
  expect((await client.listTools()).map(({ name }) => name)).toEqual(["say"]);
  expect(versions.files).toContain(module);
  const confirmed = versions.confirm();
  begin();
  expect(await confirmed).toBe(true);
  edit("other");
  expect(await versions.confirm()).toBe(false);
  edit("one");
  versions.clear();
});

it("dev applies an edit that is made while the compiler loads beside a valid cache", async () => {
  // The cache of this process belongs to the sources, not to the built command.
  expect((await project.proffer("call", "tools.ts", "say")).stdout).toBe("one\n");
  const launch = [process.execPath, project.path("node_modules/proffer/dist/bin.js"), "dev", module];
  const client = await connectOver(linkCommand(launch), { revision: "2025-11-25" });
  expect(await client.listTools()).toHaveLength(1);
  edit("two");
  while (textOf(await client.call("say")) !== "two") await new Promise((resolve) => setTimeout(resolve, 50));
  await client.close();
});

it("the compiler's thread returns the same as the compiler, and survives an error", async () => {
  const compiler = startCompiler(project.path("late.ts"));
  await expect(compiler.emit(project.path("out"))).rejects.toThrow("does not exist");
  project.write("late.ts", "/** Says. */", 'export const say = () => "late";');
  expect(await compiler.derive()).toEqual(createDeriver(project.path("late.ts")).derive());
  const { files } = await compiler.emit(project.path("out"));
  expect(files.map(({ path, module: text }) => [path, text?.imports])).toEqual([["late.js", []]]);
});
