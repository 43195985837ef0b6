import { spawnSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { type Server, UsageError } from "proffer";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createCompiler } from "../../cli/src/dev/compiler-worker.ts";
import type { EditEvent } from "../../cli/src/dev/report.ts";
import { openVersions, type Versions } from "../../cli/src/dev/versions.ts";
import { describeEdit } from "../../cli/src/inspect/edits.ts";
import { differencesOf } from "../../cli/src/recordings/replay.ts";
import { createProject, type Project } from "../../cli/test/project.ts";
import type { Edit } from "../src/protocol/data.ts";

let project: Project;
let versions: Versions;
beforeEach(() => {
  project = createProject();
});
afterEach(() => {
  versions?.clear();
  project.remove();
});

const FIRST = [
  "/** Where to. */",
  "interface Address {",
  "  /** A postal code. */",
  "  zip: string;",
  "}",
  "/** Sends. */",
  "export const send = (to: Address): string => to.zip;",
  "/** Counts. */",
  "export const count = (): number => 1;",
];

async function open(): Promise<Server> {
  project.write("tools.ts", ...FIRST);
  versions = openVersions(project.path("tools.ts"), createCompiler(project.path("tools.ts")));
  return (await versions.next()).server;
}

/** Applies an edit as `dev` does, and describes it. */
async function edit(before: Server, ...lines: string[]): Promise<Edit> {
  project.write("tools.ts", ...lines);
  let event: EditEvent;
  try {
    const { server, derivation } = await versions.next();
    const { files } = versions;
    const { diagnostics } = derivation;
    const positions = () => versions.positions();
    event = { how: "applied", before, after: server, diagnostics, files, milliseconds: 5, positions };
  } catch (error) {
    event = { how: "broken", error, files: versions.files };
  }
  return describeEdit(event, project.folder);
}

describe("an edit that is applied", () => {
  test("names the parts that differ, with their lines", async () => {
    const before = await open();
    const changed = FIRST.map((line) => line.replace("  zip: string;", '  zip: string; kind?: "home";'));
    const applied = await edit(
      before,
      ...changed.slice(0, -2),
      "/** Adds. */",
      "export const add = (a: number): number => a;",
    );
    const file = versions.files.indexOf(project.path("tools.ts"));
    expect(applied).toEqual({
      how: "applied",
      ms: 5,
      problems: [],
      changes: [
        {
          kind: "tool",
          key: "send",
          how: "changed",
          place: { file, line: 7, column: 1 },
          parts: [
            {
              pointer: "/inputSchema/properties/to/properties/kind",
              after: { type: "string", const: "home" },
              place: { file, line: 4, column: 16 },
            },
          ],
        },
        { kind: "tool", key: "add", how: "added", parts: [], place: { file, line: 9, column: 1 } },
        { kind: "tool", key: "count", how: "removed", parts: [] },
      ],
    });
  });

  test("has no changes if clients see none, and names functions that are missing", async () => {
    const before = await open();
    expect(await edit(before, ...FIRST, "// a comment")).toMatchObject({ changes: [], problems: [] });
    const applied = await edit(before, ...FIRST, "/** Marks. */", "export const mark = (key: symbol): void => {};");
    expect(applied).toMatchObject({ how: "applied", changes: [], problems: [{ code: "PF1103", line: 11 }] });
    const [problem] = applied.problems;
    expect(problem?.severity).toBe("error");
    expect(problem?.remedy).toBeTruthy();
    expect(problem?.message).not.toContain(problem?.remedy);
    expect(problem?.frame).toMatchObject({ first: 8, lines: expect.arrayContaining(["/** Marks. */"]) });
  });
});

describe("an edit that is broken", () => {
  test("by a syntax error has its file, line, column, code and frame", async () => {
    const broken = await edit(await open(), ...FIRST, "export const oops = (;");
    expect(broken).toMatchObject({ how: "broken", problems: [{ line: 10, column: 22, code: "TS1109" }] });
    const [problem] = broken.problems;
    expect(("files" in broken ? broken.files : [])[problem?.file ?? -1]).toBe("tools.ts");
    expect(problem?.frame?.lines.at(-1)).toBe("");
    expect(problem?.frame?.lines.at(-2)).toBe("export const oops = (;");
  });

  test.each([
    [
      "by an exception while it loads",
      '\nthrow new Error("no key for https://me:hunter2@shop.example");',
      "no key for",
    ],
    ["by a promise that rejects", '\nawait Promise.reject(new Error("not there"));', "not there"],
    ["by an import that does not exist", '\nimport { nothing } from "./other.ts";\nconsole.error(nothing);', "nothing"],
  ])("%s has the line, and no secrets", async (_, text, message) => {
    project.write("tools.ts", ...FIRST);
    project.write("other.ts", "export const something = 1;");
    symlinkSync(
      dirname(createRequire(import.meta.url).resolve("typescript/package.json")),
      project.path("node_modules/typescript"),
      "junction",
    );
    await build({
      entryPoints: [fileURLToPath(new URL("broken-edit.ts", import.meta.url))],
      outfile: project.path("broken-edit.mjs"),
      bundle: true,
      format: "esm",
      platform: "node",
      external: ["proffer", "proffer/*", "typescript"],
      // The repository's tsconfig maps `proffer` to its sources, which would load the package twice.
      tsconfigRaw: {},
    });
    const args = [project.path("broken-edit.mjs"), project.path("tools.ts"), text];
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: project.folder, encoding: "utf8" });
    expect(stderr).toBe("");
    const broken: Edit = JSON.parse(stdout);
    const [problem] = broken.problems;
    expect(problem?.message).toContain(message);
    expect(JSON.stringify(problem?.message)).not.toContain("hunter2");
    expect(("files" in broken ? broken.files : [])[problem?.file ?? -1]).toBe("tools.ts");
    if (!message.startsWith("nothing")) expect(problem).toMatchObject({ line: 11, frame: { first: 8 } });
  });

  test("by anything else has its message", async () => {
    await open();
    const files = versions.files;
    const describe = (error: unknown) => describeEdit({ how: "broken", error, files }, project.folder);
    expect((await describe(new UsageError("Port 1 is in use."))).problems).toEqual([{ message: "Port 1 is in use." }]);
    expect((await describe("a string")).problems).toEqual([{ message: "a string" }]);
  });
});

describe("differencesOf", () => {
  test("compares by structure and escapes pointers", () => {
    expect(differencesOf({ "a/b": { c: 1, d: [1, 2] } }, { "a/b": { c: 2, d: [1, 3] }, e: null })).toEqual([
      { pointer: "/a~1b/c", before: 1, after: 2 },
      { pointer: "/a~1b/d/1", before: 2, after: 3 },
      { pointer: "/e", after: null },
    ]);
    expect(differencesOf({ required: ["a"] }, { required: ["a", "b"] })).toEqual([
      { pointer: "/required", before: ["a"], after: ["a", "b"] },
    ]);
    expect(differencesOf({ a: { b: 1 } }, { a: { b: 1 } })).toEqual([]);
  });

  test("is bounded in number and size", () => {
    const wide = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`p${n}`, n]));
    expect(differencesOf(wide, {})).toHaveLength(200);
    expect(differencesOf("", "x".repeat(100_000))[0]?.after).toBe("… 100002 characters");
  });
});
