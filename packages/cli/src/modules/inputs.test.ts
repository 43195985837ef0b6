import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { compareInputs, InputRecorder, type Inputs } from "./inputs.ts";

let folder: string;
/** Long enough that every stamp is settled. */
const LATER = 60_000;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "proffer-inputs-")));
});

afterEach(() => rmSync(folder, { recursive: true }));

const at = (path: string) => join(folder, path);

function write(path: string, text: string): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
}

/** Records files with their contents, and missing paths, as a derivation that begins at this time. */
function record(files: Record<string, string>, missing: readonly string[] = [], time = Date.now() + LATER): Inputs {
  for (const [path, text] of Object.entries(files)) write(path, text);
  const recorder = new InputRecorder(time);
  for (const [path, text] of Object.entries(files)) recorder.read(at(path), Buffer.from(text));
  for (const path of missing) recorder.missing(at(path));
  return recorder.inputsOf(folder, at("tools.ts"));
}

const compare = (inputs: Inputs) => compareInputs(folder, inputs, Date.now() + LATER);

/** Replaces the digests, so that a comparison fails if it reads a content. */
function withoutDigests(inputs: Inputs): Inputs {
  const folders = Object.entries(inputs.files).map(([folder, files]) => [
    folder,
    Object.fromEntries(Object.entries(files).map(([name, input]) => [name, { ...input, digest: "none" }])),
  ]);
  return { ...inputs, files: Object.fromEntries(folders) };
}

it("files with the same stamps are not read", () => {
  const inputs = record({ "a.d.ts": "a" });
  expect(compare(withoutDigests(inputs))).toEqual({});
});

it("a file is read if it changed shortly before it was recorded, because it could change again with the same stamp", () => {
  const inputs = record({ "a.d.ts": "a" }, [], Date.now());
  expect(compareInputs(folder, inputs)).toEqual({});
  expect(compareInputs(folder, withoutDigests(inputs))).toEqual({ change: "a.d.ts changed" });
});

it("a file that was only touched has not changed, and its new stamp is returned", () => {
  const inputs = record({ "a.d.ts": "a", "b.d.ts": "b" });
  utimesSync(at("a.d.ts"), 1, 1);
  const { refreshed } = compare(inputs);
  expect(refreshed?.files[""]?.["b.d.ts"]).toEqual(inputs.files[""]?.["b.d.ts"]);
  expect(compare(withoutDigests(refreshed ?? inputs))).toEqual({});
  expect(compare(withoutDigests(inputs))).toEqual({ change: "a.d.ts changed" });
});

it("an edit is noticed although it keeps the size and restores the modification time", () => {
  const inputs = record({ "a.d.ts": "one" });
  const { atime, mtime } = statSync(at("a.d.ts"));
  write("a.d.ts", "two");
  utimesSync(at("a.d.ts"), atime, mtime);
  expect(compare(inputs)).toEqual({ change: "a.d.ts changed" });
  rmSync(at("a.d.ts"));
  expect(compare(inputs)).toEqual({ change: "a.d.ts is gone" });
});

it("the content counts that was read, although the file changed before the end of the derivation", () => {
  write("a.d.ts", "one");
  const recorder = new InputRecorder();
  recorder.read(at("a.d.ts"), Buffer.from("one"));
  write("a.d.ts", "two");
  expect(compare(recorder.inputsOf(folder, at("tools.ts")))).toEqual({ change: "a.d.ts changed" });
});

it("a new file is noticed where a lookup failed, also in a folder that did not exist, and no other", () => {
  const inputs = record({ "a.d.ts": "a" }, ["a.ts", "node_modules/@types/x/index.d.ts"]);
  write("unrelated.ts", "");
  expect(compare(inputs)).toEqual({});
  write("a.ts", "");
  expect(compare(inputs)).toEqual({ change: "a.ts is new" });
  rmSync(at("a.ts"));
  mkdirSync(at("node_modules"));
  expect(compare(inputs)).toEqual({ change: "node_modules is new" });
});

it("the stamp of a folder is refreshed only if many lookups failed in it", () => {
  const many = Array.from({ length: 30 }, (_, index) => `many/${index}.ts`);
  const inputs = record({ "many/a.d.ts": "a" }, [...many, "few/b.ts", "tsconfig.json"]);
  write("many/other.md", "");
  write("other.md", "");
  const { refreshed } = compare(inputs);
  expect(refreshed?.folders.many?.stamp).not.toEqual(inputs.folders.many?.stamp);
  expect(refreshed?.folders[""]).toEqual(inputs.folders[""]);
});

it("a folder may have the name of a missing file, until it becomes a file", () => {
  mkdirSync(at("lib"));
  const inputs = record({}, ["lib", "lib/index.ts"]);
  write("other.ts", "");
  expect(compare(inputs)).toEqual({});
  rmSync(at("lib"), { recursive: true });
  write("lib", "");
  expect(compare(inputs)).toEqual({ change: "lib changed" });
});

it("a link is noticed that points elsewhere, and a folder that became a link", () => {
  write("packages/one/index.ts", "same");
  write("packages/two/index.ts", "same");
  mkdirSync(at("node_modules"));
  symlinkSync(at("packages/one"), at("node_modules/linked"), "junction");
  const inputs = record({ "node_modules/linked/index.ts": "same", "node_modules/plain/index.d.ts": "same" });
  expect(compare(inputs)).toEqual({});
  rmSync(at("node_modules/linked"));
  symlinkSync(at("packages/two"), at("node_modules/linked"), "junction");
  expect(compare(inputs)).toEqual({ change: "node_modules/linked changed" });
  rmSync(at("node_modules/linked"));
  symlinkSync(at("packages/one"), at("node_modules/linked"), "junction");
  renameSync(at("node_modules/plain"), at("packages/plain"));
  symlinkSync(at("packages/plain"), at("node_modules/plain"), "junction");
  utimesSync(at("packages/plain/index.d.ts"), 1, 1);
  expect(compare(inputs).change).toContain("is a link now");
});

it("the names in a folder count if they were listed", () => {
  mkdirSync(at("types"));
  const recorder = new InputRecorder(Date.now() + LATER);
  recorder.listed(at("types"));
  const inputs = recorder.inputsOf(folder, at("tools.ts"));
  expect(compare(inputs)).toEqual({});
  mkdirSync(at("types/new"));
  expect(compare(inputs)).toEqual({ change: "types changed" });
});

it("a project keeps its inputs when it is moved", () => {
  const inputs = record({ "a.d.ts": "a" }, ["b/c.ts"]);
  const before = folder;
  folder = `${before}-moved`;
  renameSync(before, folder);
  expect(compare(inputs).change).toBeUndefined();
  appendFileSync(at("a.d.ts"), " ");
  expect(compare(inputs).change).toBe("a.d.ts changed");
});
