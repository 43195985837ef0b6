import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { type CachedModule, compareFingerprint, locateCache, readCache } from "../src/modules/cache.ts";
import { digestOf } from "../src/modules/inputs.ts";
import { prepareModule } from "../src/modules/prepare-module.ts";
import { currentTrust } from "../src/modules/trust.ts";
import { createProject, type Project } from "./project.ts";

let project: Project;

beforeAll(async () => {
  project = createProject();
  project.write("node_modules/client/package.json", '{ "name": "client", "version": "1.0.0", "types": "index.d.ts" }');
  project.write("node_modules/client/index.d.ts", 'export type { User } from "./generated.js";');
  project.write("node_modules/client/generated.d.ts", "export interface User { email: string }");
  project.write("packages/shared/package.json", '{ "name": "shared", "version": "1.0.0", "exports": "./index.ts" }');
  project.write("packages/shared/index.ts", 'export type Color = "red";', 'export const color = "red";');
  symlinkSync(project.path("packages/shared"), project.path("node_modules/shared"), "junction");
  project.write("base.json", "{}");
  project.write("app/tsconfig.json", '{ "extends": "../base.json" }');
  project.write("app/shape.d.ts", "export interface Shape { side: number }");
  project.write("app/late.ts", "export type Late = string;");
  project.write(
    "app/tools.ts",
    'import type { User } from "client";',
    'import type { Color } from "shared";',
    'import type { Shape } from "./shape.js";',
    'import type { Late } from "./late.ts";',
    "/** Takes. */",
    "export function take(user: User, color: Color, shape: Shape, late: Late): string { return user.email + color + shape.side + late; }",
  );
  project.write("plain.ts", "/** Says. */", 'export const say = () => "said";');
  await prepareModule(project.path("app/tools.ts"));
  await prepareModule(project.path("plain.ts"));
});

afterAll(() => project.remove());

afterEach(() => vi.useRealTimers());

const read = (file = "app/tools.ts"): CachedModule | undefined =>
  readCache(locateCache(project.path(file)), currentTrust());

function entryOf(file = "app/tools.ts"): string {
  return join(locateCache(project.path(file)).folder, "manifest.json");
}

const storedOf = (file?: string) => JSON.parse(readFileSync(entryOf(file), "utf8")).stored;

/** Replaces a file, keeps its size and restores its modification time. */
function replace(file: string, from: string, to: string): void {
  const { atime, mtime } = statSync(project.path(file));
  writeFileSync(project.path(file), project.read(file).replace(from, to));
  utimesSync(project.path(file), atime, mtime);
}

describe("the cache of a module is not used", () => {
  it.each([
    [
      "a declaration file of a package changes without a new version",
      "node_modules/client/generated.d.ts",
      "email",
      "phone",
    ],
    ["the package.json of a package changes", "node_modules/client/package.json", "index.d.ts", "other.d.ts"],
    ["a linked workspace package changes", "packages/shared/index.ts", "red", "tan"],
    ["a module that it imports changes", "app/shape.d.ts", "side", "edge"],
    ["the configuration that another extends changes", "base.json", "{}", "[]"],
    ["the project's package.json changes", "package.json", "1.2.3", "1.2.4"],
  ])("after %s, and is again when the content is restored", (_, file, from, to) => {
    expect(read()).toBeDefined();
    replace(file, from, to);
    expect(read()).toBeUndefined();
    replace(file, to, from);
    expect(read()).toBeDefined();
  });

  it.each([
    ["a source that shadows a declaration file", "app/shape.ts"],
    ["a nearer package.json", "app/package.json"],
    ["a nearer package", "app/node_modules/client/package.json"],
    ["types of a package", "node_modules/@types/node/package.json"],
    ["JavaScript beside a declaration file", "app/shape.js"],
  ])("after %s appears", (_, file) => {
    const added = file.split("/");
    const first = added.findIndex((_, index) => !existsSync(project.path(added.slice(0, index + 1).join("/"))));
    project.write(file, "{}");
    expect(read()).toBeUndefined();
    rmSync(project.path(added.slice(0, first + 1).join("/")), { recursive: true });
    expect(read()).toBeDefined();
  });

  it("after a file is removed, or a link points elsewhere", () => {
    renameSync(project.path("app/late.ts"), project.path("app/later.ts"));
    expect(read()).toBeUndefined();
    renameSync(project.path("app/later.ts"), project.path("app/late.ts"));
    expect(read()).toBeDefined();
    cpSync(project.path("packages/shared"), project.path("packages/copy"), { recursive: true });
    rmSync(project.path("node_modules/shared"));
    symlinkSync(project.path("packages/copy"), project.path("node_modules/shared"), "junction");
    expect(read()).toBeUndefined();
    rmSync(project.path("node_modules/shared"));
    symlinkSync(project.path("packages/shared"), project.path("node_modules/shared"), "junction");
    expect(read()).toBeDefined();
  });

  it("in another folder, if the code contains its place", async () => {
    project.write(
      "placed.ts",
      "/** Says. */",
      "export const say = () => import.meta.url;",
      "interface ImportMeta { url: string }",
    );
    await prepareModule(project.path("placed.ts"));
    const moved = (file: string) => compareFingerprint(project.path("moved"), storedOf(file).fingerprint).change;
    expect(moved("placed.ts")).toBe(`the project was moved from ${project.folder}`);
    expect(moved("plain.ts")).not.toContain("moved from");
  });
});

it("the cache gets new stamps after files were only touched, so that they are not read again", () => {
  const stampOf = () => storedOf().fingerprint.inputs.files["node_modules/client"]["generated.d.ts"].stamp;
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
  expect(read()).toBeDefined();
  const before = stampOf();
  expect(before).toBeDefined();
  const untouched = readFileSync(entryOf(), "utf8");
  expect(read()).toBeDefined();
  expect(readFileSync(entryOf(), "utf8")).toBe(untouched);
  utimesSync(project.path("node_modules/client/generated.d.ts"), 1, 1);
  expect(read()).toBeDefined();
  expect(stampOf()).not.toEqual(before);
});

it("the cache covers no files of the compiler, but those of every package", () => {
  const { files } = storedOf().fingerprint.inputs;
  expect(Object.keys(files).filter((folder) => folder.includes("typescript/lib"))).toEqual([]);
  expect(Object.keys(files["node_modules/client"]).sort()).toEqual(["generated.d.ts", "index.d.ts", "package.json"]);
  expect(Object.keys(files["packages/shared"])).toContain("index.ts");
});

describe("the cache of a module", () => {
  it("is rebuilt with one warning if it is damaged or has another format", async () => {
    const file = project.path("plain.ts");
    const { folder } = storedOf("plain.ts");
    const rewrite = (stored: object) => {
      const text = JSON.stringify(stored);
      writeFileSync(entryOf("plain.ts"), `{"digest":"${digestOf(text)}","stored":${text}}`);
    };
    const whole = readFileSync(entryOf("plain.ts"), "utf8");
    const damages: [damage: () => void, message: string][] = [
      [() => writeFileSync(entryOf("plain.ts"), whole.slice(0, whole.length / 2)), "is damaged"],
      [() => writeFileSync(entryOf("plain.ts"), whole.replace("Says.", "Pays.")), "it was modified"],
      [() => rewrite({ ...storedOf("plain.ts"), format: 1 }), "was written by another version of Proffer"],
      [() => rewrite({ ...storedOf("plain.ts"), folder: "none" }), "ENOENT"],
    ];
    for (const [damage, message] of damages) {
      damage();
      expect(() => read("plain.ts")).toThrow(message);
      writeFileSync(entryOf("plain.ts"), whole);
    }
    rmSync(join(locateCache(file).folder, folder, "plain.js"));
    const warnings: string[] = [];
    const warn = (message: string) => void warnings.push(message);
    expect((await prepareModule(file, { warn })).manifest.tools).toHaveLength(1);
    expect(warnings).toEqual([expect.stringContaining("plain.ts is unusable and will be rebuilt")]);
    await prepareModule(file, { warn });
    expect(warnings).toHaveLength(1);
  });

  it("is ignored by Git and keeps at most three versions", async () => {
    const { folder } = locateCache(project.path("plain.ts"));
    for (const name of ["older", "old", "new", "newer"]) mkdirSync(join(folder, name));
    project.write("plain.ts", "/** Says. */", 'export const say = () => "more";');
    await prepareModule(project.path("plain.ts"));
    expect(project.read(".proffer/.gitignore")).toBe("*\n");
    expect(readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())).toHaveLength(3);
  });
});
