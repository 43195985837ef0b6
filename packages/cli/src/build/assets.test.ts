import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { copyAssets, findAssets, findForgotten } from "./assets.ts";

let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "proffer-assets-")));
  write("outside.txt");
  write("project/package.json", "{}");
  write("project/src/tools.ts");
  write("project/data/words.txt");
  write("project/data/deep/more.txt");
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function at(path: string): string {
  return join(folder, path);
}

function write(path: string, text = ""): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
}

function link(target: string, path: string): void {
  symlinkSync(at(target), at(path), "junction");
}

function find(...names: string[]): string[] {
  return findAssets(names.map(at), at("project/src/tools.ts"), at("project/dist")).sort();
}

describe("findAssets", () => {
  it("finds files, and the files of folders, each once", () => {
    expect(find("project/data", "project/data/words.txt", "project/src/tools.ts")).toEqual(
      ["project/data/deep/more.txt", "project/data/words.txt", "project/src/tools.ts"].map(at),
    );
  });

  it("refuses a path that does not exist, with the place where it looked", () => {
    expect(() => find("project/nothing.txt")).toThrow(
      `nothing.txt does not exist (looked for ${at("project/nothing.txt")})`,
    );
  });

  it("refuses a path outside of the project, and the project itself", () => {
    expect(() => find("outside.txt")).toThrow(`is outside of the project ${at("project")}`);
    expect(() => find("project/../outside.txt")).toThrow("is outside of the project");
    expect(() => find("project")).toThrow("is the whole project");
  });

  it("refuses a link that leads out of the project, and follows one that stays in it", () => {
    link("outside.txt", "project/leak");
    expect(() => find("project/leak")).toThrow(`is a link to ${at("outside.txt")}`);
    link("outside.txt", "project/data/deep/leak");
    expect(() => find("project/data")).toThrow("leads out of the project");
    rmSync(at("project/data/deep/leak"));
    link("project/data", "project/src/linked");
    expect(find("project/src/linked")).toEqual(
      ["project/src/linked/deep/more.txt", "project/src/linked/words.txt"].map(at),
    );
  });

  it("refuses a folder that contains itself, a broken link, and a pipe", () => {
    link("project/data", "project/data/deep/again");
    expect(() => find("project/data")).toThrow("contains itself");
    rmSync(at("project/data/deep/again"));
    link("project/gone", "project/data/broken");
    expect(() => find("project/data")).toThrow("contains a broken link");
    if (process.platform === "win32") return;
    rmSync(at("project/data/broken"));
    expect(spawnSync("mkfifo", [at("project/data/pipe")]).status).toBe(0);
    expect(() => find("project/data")).toThrow("is not a file or folder");
  });

  it("refuses an asset that contains the output folder, or is in it", () => {
    write("project/dist/server.js");
    expect(() => find("project/dist/server.js")).toThrow("which the build replaces");
    expect(() => findAssets([at("project/data")], at("project/src/tools.ts"), at("project/data/dist"))).toThrow(
      "overlaps with the folder",
    );
  });
});

describe("copyAssets", () => {
  it("keeps the place of each file relative to the sources", () => {
    expect(copyAssets(find("project/data"), at("project"), at("out"), new Map())).toBe(2);
    expect(existsSync(at("out/data/deep/more.txt"))).toBe(true);
  });

  it("refuses to replace a file of the build, except by the same JSON file", () => {
    write("project/src/tools.js", "mine");
    const source = at("project/src/tools.ts");
    const copy = () =>
      copyAssets(find("project/src/tools.js"), at("project"), at("out"), new Map([["src/tools.js", source]]));
    expect(copy).toThrow("would replace src/tools.js of the build");
    const json = at("project/data/words.json");
    write("project/data/words.json", "[]");
    expect(copyAssets([json], at("project"), at("out"), new Map([["data/words.json", json]]))).toBe(0);
  });
});

describe("findForgotten", () => {
  const forgotten = (code: string, ...assets: string[]) =>
    findForgotten(
      {
        entry: "src/tools.js",
        root: at("project"),
        files: [{ path: "src/tools.js", source: at("project/src/tools.ts"), text: code }],
      },
      assets.map(at),
    );

  it("finds existing files and folders that the code reads and that no asset names", () => {
    const file = 'read(new URL("../data/words.txt", import.meta.url))';
    expect(forgotten(file)).toEqual([at("project/data/words.txt")]);
    expect(forgotten(file, "project/data/words.txt")).toEqual([]);
    expect(forgotten('new URL("../data/", import.meta.url)')).toEqual([at("project/data")]);
    expect(forgotten('new URL("../data/", import.meta.url)', "project/data/words.txt")).toEqual([]);
    expect(forgotten('new URL("./gone.txt", import.meta.url); new URL("./tools.ts", import.meta.url)')).toEqual([]);
  });
});
