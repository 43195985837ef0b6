import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openEditor } from "../../cli/src/inspect/module-source.ts";
import { ApiProblem } from "../src/support/api-problem.ts";

let folder: string;
let recorded: string;
const FILES = ["/project/a file.ts", "/project/tools.ts"];

/** Writes a program that records its arguments. */
function writeEditor(name: string): string {
  const path = join(folder, "bin dir", name);
  const [whole, part] = [recorded, `${recorded}.part`].map((file) => JSON.stringify(file));
  const lines = [
    `#!${process.execPath}`,
    'const { renameSync, writeFileSync } = require("node:fs");',
    `writeFileSync(${part}, JSON.stringify(process.argv.slice(2)));`,
    `renameSync(${part}, ${whole});`,
  ];
  writeFileSync(path, lines.join("\n"));
  chmodSync(path, 0o755);
  return path;
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "proffer-editor-"));
  recorded = join(folder, "arguments.json");
  mkdirSync(join(folder, "bin dir"));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function opened(env: NodeJS.ProcessEnv, place: Parameters<typeof openEditor>[0]): Promise<string[]> {
  rmSync(recorded, { force: true });
  await openEditor(place, FILES, env);
  await expect.poll(() => existsSync(recorded)).toBe(true);
  return JSON.parse(readFileSync(recorded, "utf8"));
}

test("a click on a line starts the editor with its notation of a line", async () => {
  const place = { file: 0, line: 12, column: 3 };
  const run = (name: string, flags = "") => opened({ PROFFER_EDITOR: `"${writeEditor(name)}"${flags}` }, place);
  expect(await run("code")).toEqual(["--goto", "/project/a file.ts:12:3"]);
  expect(await run("cursor", " --reuse-window")).toEqual(["--reuse-window", "--goto", "/project/a file.ts:12:3"]);
  expect(await run("zed")).toEqual(["/project/a file.ts:12:3"]);
  expect(await run("emacsclient", " -n")).toEqual(["-n", "+12", "/project/a file.ts"]);
  expect(await run("webstorm")).toEqual(["--line", "12", "--column", "3", "/project/a file.ts"]);
  expect(await run("my-editor")).toEqual(["/project/a file.ts"]);
});

test("PROFFER_EDITOR comes before VISUAL and EDITOR, and installed editors last", async () => {
  const place = { file: 1, line: 2 };
  const [first, second] = [writeEditor("subl"), writeEditor("gedit")];
  writeEditor("cursor");
  const env = { PATH: join(folder, "bin dir") };
  expect(await opened({ ...env, VISUAL: `"${second}"`, PROFFER_EDITOR: `"${first}"` }, place)).toEqual([
    "/project/tools.ts:2:1",
  ]);
  expect(await opened({ ...env, VISUAL: `"${second}"`, EDITOR: "ed" }, place)).toEqual(["+2", "/project/tools.ts"]);
  // An editor in the terminal would draw over `dev`.
  rmSync(join(folder, "bin dir", "code"), { force: true });
  expect(await opened({ ...env, EDITOR: "vim" }, place)).toEqual(["--goto", "/project/tools.ts:2:1"]);
});

test("only files of the derivation open, and nothing from the page reaches a shell", async () => {
  const env = { PROFFER_EDITOR: `"${writeEditor("code")}"` };
  for (const file of [2, -1, 0.5, "/etc/passwd", "__proto__", "length", null]) {
    await expect(openEditor({ file: file as number, line: 1 }, FILES, env)).rejects.toThrow("There is no file");
  }
  const line = "1; touch /tmp/x" as unknown as number;
  expect(await opened(env, { file: 1, line, column: Number.NaN })).toEqual(["--goto", "/project/tools.ts:1:1"]);
  expect(await opened({ PROFFER_EDITOR: `"${writeEditor("code")}" $(id) ;` }, { file: 1, line: 1 })).toEqual([
    "$(id)",
    ";",
    "--goto",
    "/project/tools.ts:1:1",
  ]);
});

test("a missing editor is explained", async () => {
  const none = openEditor({ file: 0, line: 1 }, FILES, { PATH: "" });
  await expect(none).rejects.toThrow("Set PROFFER_EDITOR");
  await expect(none).rejects.toThrow(ApiProblem);
  await expect(openEditor({ file: 0, line: 1 }, FILES, { PROFFER_EDITOR: "/no/such-editor" })).rejects.toThrow(
    "/no/such-editor was not found",
  );
});
