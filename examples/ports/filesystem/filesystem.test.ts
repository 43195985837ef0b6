import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Started, startOriginal, startPort } from "./servers.ts";

let parent: string;
let folder: string;
let before: Started;
let after: Started;

beforeAll(async () => {
  parent = await realpath(await mkdtemp(join(tmpdir(), "proffer-port-")));
  folder = join(parent, "allowed");
  await mkdir(folder);
  [before, after] = await Promise.all([startOriginal(folder), startPort(folder)]);
});

afterAll(async () => {
  await Promise.all([before?.close(), after?.close()]);
  await rm(parent, { recursive: true });
});

const WRITING = new Set(["write_file", "edit_file", "create_directory", "move_file"]);
let isFresh = false;

/** Brings the folder back to its first state, if a tool may have changed it. */
async function refresh(): Promise<void> {
  if (isFresh) return;
  isFresh = true;
  for (const name of await readdir(parent)) if (name !== "allowed") await rm(join(parent, name), { recursive: true });
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true });
  await mkdir(join(folder, "src/deep"), { recursive: true });
  await mkdir(join(folder, "node_modules/left-pad"), { recursive: true });
  await mkdir(join(folder, "empty"));
  const files: Record<string, string | Buffer> = {
    "notes.txt": "one\ntwo\nthree\nfour\n",
    "windows.txt": "one\r\ntwo\r\nthree",
    "unicode-é.txt": "grüße 👋\n".repeat(500),
    "empty.txt": "",
    "ticks.md": "```\ncode\n```\n",
    "src/index.ts": "export function main() {\n    if (true) {\n        run();\n    }\n}\n",
    "src/deep/index.test.ts": "test();\n",
    "node_modules/left-pad/index.js": "pad\n",
    "dot.png": Buffer.from("89504e470d0a1a0a", "hex"),
    "beep.MP3": Buffer.from([1, 2, 3]),
    "data.bin": Buffer.from([0, 255, 254]),
    "large.bin": Buffer.alloc(300_000, 1),
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  await writeFile(join(parent, "secret.txt"), "secret");
  await symlink(join(parent, "secret.txt"), join(folder, "leak.txt"));
  await symlink(parent, join(folder, "up"));
  await chmod(join(folder, "notes.txt"), 0o640);
  const time = new Date("2026-01-02T03:04:05Z");
  for (const name of Object.keys(files)) await utimes(join(folder, name), time, time);
}

/** The answer to a call, and all files after it. */
async function answerOf(server: Started, name: string, args: Record<string, unknown>): Promise<unknown> {
  await refresh();
  const answer = await server.call(name, args);
  isFresh = !WRITING.has(name);
  return { answer: JSON.parse(withoutAccidents(JSON.stringify(answer))), files: isFresh || (await contentsOf(folder)) };
}

/** The folder is created anew, so some times differ, and each server has its own names for temporary files. */
function withoutAccidents(text: string): string {
  return text.replace(/(created|accessed): [^\\"]*/g, "$1: …").replace(/\.[0-9a-f-]+\.tmp/g, ".….tmp");
}

async function contentsOf(root: string): Promise<Record<string, string>> {
  const contents: Record<string, string> = {};
  for (const name of (await readdir(root, { recursive: true })).sort()) {
    if (name.startsWith("up/")) continue;
    const stats = await stat(join(root, name)).catch(() => undefined);
    const kind = stats?.isFile() ? (await readFile(join(root, name), "hex")).slice(0, 2000) : "folder";
    contents[name] = `${stats?.mode.toString(8)} ${kind}`;
  }
  return contents;
}

const at = (path: string) => join(folder, path);

describe("the filesystem server as plain functions", () => {
  it("has the same tools, with the same arguments and annotations", async () => {
    const [theirs, ours] = await Promise.all([before.tools(), after.tools()]);
    const shapeOf = ({ name, title, annotations, inputSchema }: (typeof theirs)[number]) => ({
      name,
      title,
      annotations,
      properties: Object.keys(inputSchema.properties ?? {}).sort(),
      required: [...(inputSchema.required ?? [])].sort(),
    });
    expect(ours.map(shapeOf)).toEqual(theirs.map(shapeOf));
  });

  it.each<[string, () => Record<string, unknown>]>([
    ["read_file", () => ({ path: at("notes.txt") })],
    ["read_text_file", () => ({ path: at("notes.txt") })],
    ["read_text_file", () => ({ path: "notes.txt" })],
    ["read_text_file", () => ({ path: at("notes.txt"), head: 2 })],
    ["read_text_file", () => ({ path: at("notes.txt"), head: 99 })],
    ["read_text_file", () => ({ path: at("notes.txt"), tail: 2 })],
    ["read_text_file", () => ({ path: at("notes.txt"), tail: 99 })],
    ["read_text_file", () => ({ path: at("windows.txt"), tail: 2 })],
    ["read_text_file", () => ({ path: at("windows.txt"), head: 2 })],
    ["read_text_file", () => ({ path: at("unicode-é.txt"), head: 300 })],
    ["read_text_file", () => ({ path: at("unicode-é.txt"), tail: 300 })],
    ["read_text_file", () => ({ path: at("unicode-é.txt") })],
    ["read_text_file", () => ({ path: at("empty.txt"), tail: 2 })],
    ["read_text_file", () => ({ path: at("empty.txt"), head: 2 })],
    ["read_text_file", () => ({ path: at("notes.txt"), head: 0 })],
    ["read_text_file", () => ({ path: at("notes.txt"), head: -1 })],
    ["read_text_file", () => ({ path: at("notes.txt"), head: 1.5 })],
    ["read_text_file", () => ({ path: at("notes.txt"), head: 1, tail: 1 })],
    ["read_text_file", () => ({ path: at("missing.txt") })],
    ["read_text_file", () => ({ path: at("no/folder/missing.txt") })],
    ["read_text_file", () => ({ path: at("src") })],
    ["read_text_file", () => ({ path: at("../secret.txt") })],
    ["read_text_file", () => ({ path: at("leak.txt") })],
    ["read_text_file", () => ({ path: at("up/secret.txt") })],
    ["read_text_file", () => ({ path: "/etc/passwd" })],
    ["read_text_file", () => ({ path: "C:\\Users" })],
    ["read_text_file", () => ({ path: `${folder}-other/x` })],
    ["read_text_file", () => ({ path: "nul\0byte" })],
    ["read_text_file", () => ({ path: 7 })],
    ["read_text_file", () => ({})],
    ["read_text_file", () => ({ path: at("notes.txt"), head: "x" })],
    ["read_text_file", () => ({ path: at("notes.txt"), head: null })],
    ["read_media_file", () => ({ path: at("dot.png") })],
    ["read_media_file", () => ({ path: at("beep.MP3") })],
    ["read_media_file", () => ({ path: at("data.bin") })],
    ["read_media_file", () => ({ path: at("leak.txt") })],
    ["read_multiple_files", () => ({ paths: [at("notes.txt"), at("missing.txt"), at("leak.txt"), "ticks.md"] })],
    ["read_multiple_files", () => ({ paths: [] })],
    ["read_multiple_files", () => ({ paths: "notes.txt" })],
    ["write_file", () => ({ path: at("new.txt"), content: "new\n" })],
    ["write_file", () => ({ path: at("notes.txt"), content: "replaced" })],
    ["write_file", () => ({ path: at("leak.txt"), content: "x" })],
    ["write_file", () => ({ path: at("no/folder/new.txt"), content: "x" })],
    ["write_file", () => ({ path: at("src"), content: "x" })],
    ["write_file", () => ({ path: at("new.txt") })],
    ["edit_file", () => ({ path: at("notes.txt"), edits: [{ oldText: "two\n", newText: "2\n" }] })],
    ["edit_file", () => ({ path: at("notes.txt"), edits: [{ oldText: "two", newText: "$& $1" }], dryRun: true })],
    ["edit_file", () => ({ path: at("ticks.md"), edits: [{ oldText: "code", newText: "````" }] })],
    ["edit_file", () => ({ path: at("windows.txt"), edits: [{ oldText: "one\r\ntwo", newText: "1\n2" }] })],
    [
      "edit_file",
      () => ({
        path: at("src/index.ts"),
        edits: [{ oldText: "if (true) {\n  run();\n}", newText: "if (false) {\n    stop();\n  more();\n}" }],
      }),
    ],
    [
      "edit_file",
      () => ({
        path: at("notes.txt"),
        edits: [
          { oldText: "one", newText: "two" },
          { oldText: "two\ntwo", newText: "four" },
        ],
      }),
    ],
    ["edit_file", () => ({ path: at("notes.txt"), edits: [{ oldText: "nine", newText: "9" }] })],
    ["edit_file", () => ({ path: at("notes.txt"), edits: [] })],
    ["edit_file", () => ({ path: at("notes.txt"), edits: [{ oldText: "one" }] })],
    ["create_directory", () => ({ path: at("a/b/c") })],
    ["create_directory", () => ({ path: at("src") })],
    ["create_directory", () => ({ path: at("up/x") })],
    ["list_directory", () => ({ path: folder })],
    ["list_directory", () => ({ path: at("empty") })],
    ["list_directory", () => ({ path: at("notes.txt") })],
    ["list_directory_with_sizes", () => ({ path: folder })],
    ["list_directory_with_sizes", () => ({ path: folder, sortBy: "size" })],
    ["list_directory_with_sizes", () => ({ path: folder, sortBy: "age" })],
    ["directory_tree", () => ({ path: folder })],
    ["directory_tree", () => ({ path: folder, excludePatterns: ["node_modules", "*.txt", "src/deep"] })],
    ["move_file", () => ({ source: at("notes.txt"), destination: at("src/notes.txt") })],
    ["move_file", () => ({ source: at("src"), destination: at("lib") })],
    ["move_file", () => ({ source: at("notes.txt"), destination: at("empty.txt") })],
    ["move_file", () => ({ source: at("missing.txt"), destination: at("other.txt") })],
    ["move_file", () => ({ source: at("notes.txt"), destination: "/tmp/stolen.txt" })],
    ["search_files", () => ({ path: folder, pattern: "**/*.ts" })],
    ["search_files", () => ({ path: folder, pattern: "*.txt", excludePatterns: ["unicode*"] })],
    ["search_files", () => ({ path: folder, pattern: "nothing" })],
    ["get_file_info", () => ({ path: at("notes.txt") })],
    ["get_file_info", () => ({ path: at("large.bin") })],
    ["get_file_info", () => ({ path: at("missing.txt") })],
    ["list_allowed_directories", () => ({})],
  ])("%s answers the same (case %#)", async (name, argsOf) => {
    const args = argsOf();
    expect(await answerOf(after, name, args)).toEqual(await answerOf(before, name, args));
  });

  it("uses the roots of a client instead of the named folders", async () => {
    await refresh();
    const root = join(folder, "src");
    for (const start of [startOriginal, startPort]) {
      const server = await start(folder, root);
      try {
        // The original asks for the roots once the client is initialized, and answers before they arrive.
        const text = `Allowed directories:\n${root}`;
        const allowed = () => server.call("list_allowed_directories", {});
        await expect.poll(allowed).toMatchObject({ structuredContent: { content: text } });
        expect(await server.call("read_text_file", { path: at("notes.txt") })).toMatchObject({ isError: true });
      } finally {
        await server.close();
      }
    }
  });

  it("differs in some refusals and conversions", async () => {
    const path = at("notes.txt");
    // The original ignores arguments that it does not know; derived schemas name them.
    expect(await before.call("read_text_file", { path, lines: 2 })).not.toBe("refused");
    expect(await after.call("read_text_file", { path, lines: 2 })).toBe("refused");
    // Real clients send numbers as texts; the original refuses them.
    expect(await before.call("read_text_file", { path, head: "2" })).toBe("refused");
    expect(await after.call("read_text_file", { path, head: "2" })).toMatchObject({
      structuredContent: { content: "one\ntwo" },
    });
  });
});
