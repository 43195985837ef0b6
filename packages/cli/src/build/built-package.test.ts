import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Derivation } from "../derive/index.ts";
import { ownVersion } from "../modules/packages.ts";
import { describePackage, RUNTIME_PEERS } from "./built-package.ts";

let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "proffer-package-")));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, value: object): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), JSON.stringify(value));
}

function install(name: string, file: object = {}): void {
  write(`node_modules/${name}/package.json`, { name, version: "3.2.1", ...file });
}

/** Describes the packages of a build whose files import these specifiers. */
function describeBuild(project: object, ...imports: string[]) {
  write("package.json", project);
  const derivation = { server: { name: "sample", version: "1.0.0" } } as Derivation;
  return describePackage(join(folder, "src/tools.ts"), derivation, imports);
}

function dependencies(project: object, ...imports: string[]): unknown {
  return describeBuild(project, ...imports).content.dependencies;
}

describe("the package.json of a build", () => {
  const proffer = ownVersion();

  it("lists imported packages with the ranges of the project, and no others", () => {
    const project = {
      dependencies: { zod: "^4.0.0", "@scope/part": "~1.2.0", unused: "^1.0.0" },
      optionalDependencies: { maybe: "^2.0.0" },
      devDependencies: { vitest: "^4.0.0", "only-dev": "^5.0.0" },
    };
    expect(dependencies(project)).toEqual({ proffer });
    expect(dependencies(project, "@scope/part/deep", "maybe", "only-dev", "proffer/fetch", "zod/v4")).toEqual({
      "@scope/part": "~1.2.0",
      maybe: "^2.0.0",
      "only-dev": "^5.0.0",
      proffer,
      zod: "^4.0.0",
    });
  });

  it("lists the installed version of a package whose range means nothing elsewhere, or is missing", () => {
    install("sibling");
    install("transitive");
    const project = { dependencies: { sibling: "workspace:*", proffer: "catalog:" } };
    expect(dependencies(project, "sibling", "transitive", "unknown")).toEqual({
      proffer,
      sibling: "3.2.1",
      transitive: "3.2.1",
      unknown: "*",
    });
  });

  it("has a copy of each tarball, and names packages that are folders of this machine", () => {
    const project = {
      dependencies: { proffer: "file:vendor/proffer.tgz", beside: "file:../beside", more: "link:./more" },
    };
    const { content, tarballs, folders } = describeBuild(project, "beside", "more");
    expect(content.dependencies.proffer).toBe("file:./proffer.tgz");
    expect([tarballs, folders]).toEqual([[join(folder, "vendor/proffer.tgz")], ["beside", "more"]]);
  });

  it("names packages of the workspace, which others can install only if they are published", () => {
    for (const name of ["open", "closed"]) {
      write(`packages/${name}/package.json`, { name, version: "1.0.0", private: name === "closed" });
      mkdirSync(join(folder, "node_modules"), { recursive: true });
      symlinkSync(join(folder, "packages", name), join(folder, "node_modules", name), "junction");
    }
    install("zod");
    const project = { dependencies: { open: "workspace:*", closed: "1.0.0", zod: "^3.0.0" } };
    const { folders, siblings } = describeBuild(project, "open", "closed", "zod");
    expect([folders, siblings]).toEqual([["closed"], ["open"]]);
  });

  it("pins the installed version, and keeps aliases and addresses", () => {
    for (const name of ["zod", "old", "git"]) install(name);
    const project = { dependencies: { zod: "^3.0.0", old: "npm:@scope/older@^3.0.0", git: "github:ada/git" } };
    expect(dependencies(project, "zod", "old", "git")).toEqual({
      zod: "3.2.1",
      old: "npm:@scope/older@3.2.1",
      git: "github:ada/git",
      proffer,
    });
  });

  it("has the part of the lock file that it needs, also with two copies of a package and in a workspace", () => {
    const at = (version: string, more: object = {}) => ({
      version,
      resolved: `https://a.example/${version}.tgz`,
      ...more,
    });
    const lock = {
      lockfileVersion: 3,
      packages: {
        "": { name: "root" },
        app: { name: "app" },
        "node_modules/proffer": at("0.1.0", { resolved: "file:app/vendor/proffer-0.1.0.tgz" }),
        "node_modules/a": at("1.0.0", { dependencies: { b: "^1" }, optionalDependencies: { gone: "*" } }),
        "node_modules/a/node_modules/b": at("1.5.0"),
        "node_modules/b": at("2.0.0", { dev: true }),
        "node_modules/unused": at("9.0.0"),
        "app/node_modules/c": at("3.0.0", {
          peerDependencies: { b: "*", unused: "*" },
          peerDependenciesMeta: { unused: { optional: true } },
        }),
      },
    };
    write("package-lock.json", lock);
    write("app/package.json", { dependencies: { a: "^1.0.0", c: "^3.0.0", proffer: "file:vendor/proffer-0.1.0.tgz" } });
    install("a");
    const derivation = { server: { name: "sample", version: "1.0.0" } } as Derivation;
    const built = describePackage(join(folder, "app/tools.ts"), derivation, ["a", "c"]);
    expect(built.content.dependencies).toEqual({ a: "1.0.0", c: "3.0.0", proffer: "file:./proffer-0.1.0.tgz" });
    const { packages, ...head } = built.lock as {
      packages: { [path: string]: { version: string; resolved?: string } };
    };
    expect(head).toEqual({ name: "sample", version: "1.0.0", lockfileVersion: 3, requires: true });
    const versions = Object.entries(packages).map(([path, { version }]) => [path, version]);
    expect(versions).toEqual([
      ["", "1.0.0"],
      ["node_modules/a", "1.0.0"],
      ["node_modules/a/node_modules/b", "1.5.0"],
      ["node_modules/b", "2.0.0"],
      ["node_modules/c", "3.0.0"],
      ["node_modules/proffer", "0.1.0"],
    ]);
    expect(packages["node_modules/proffer"]?.resolved).toBe("file:proffer-0.1.0.tgz");
    expect(packages["node_modules/b"]).not.toHaveProperty("dev");
    // A folder of the workspace is no package of a registry.
    write("package-lock.json", { packages: { ...lock.packages, "node_modules/a": { link: true, resolved: "a" } } });
    expect(describePackage(join(folder, "app/tools.ts"), derivation, ["a"]).lock).toBeUndefined();
  });

  it("lists the peers that the project provides to an imported package", () => {
    install("plugin", { peerDependencies: { host: "*", other: "*" } });
    install("host", { peerDependencies: { engine: "*" } });
    const project = { dependencies: { plugin: "1", host: "2", engine: "3" } };
    expect(dependencies(project, "plugin")).toEqual({
      engine: "3",
      host: "3.2.1",
      plugin: "3.2.1",
      proffer,
    });
  });

  it("lists an optional peer of the run-time only if the entry that needs it is imported", () => {
    const project = { dependencies: { chokidar: "^5.0.0", ajv: "^8.0.0" } };
    expect(dependencies(project, "proffer")).toEqual({ proffer });
    expect(dependencies(project, "proffer/files")).toEqual({ chokidar: "^5.0.0", proffer });
    expect(dependencies(project, "proffer/ajv")).toEqual({ ajv: "^8.0.0", proffer });
  });

  it("knows every optional peer of the run-time", () => {
    const file = new URL("../../../proffer/package.json", import.meta.url);
    const { peerDependencies } = JSON.parse(readFileSync(file, "utf8"));
    expect([...new Set(Object.values(RUNTIME_PEERS).flat())].sort()).toEqual(Object.keys(peerDependencies).sort());
  });
});
