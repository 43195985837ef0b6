import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
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

/** Returns the dependencies of a build whose files import these specifiers. */
function dependencies(project: object, ...imports: string[]): unknown {
  write("package.json", project);
  const derivation = { server: { name: "sample", version: "1.0.0" } } as Derivation;
  const described = describePackage(join(folder, "src/tools.ts"), join(folder, "dist"), derivation, imports);
  return (described as { readonly dependencies: unknown }).dependencies;
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

  it("keeps a path to a package correct from the new folder", () => {
    expect(dependencies({ dependencies: { proffer: "file:vendor/proffer.tgz" } })).toEqual({
      proffer: "file:../vendor/proffer.tgz",
    });
  });

  it("lists the peers that the project provides to an imported package", () => {
    install("plugin", { peerDependencies: { host: "*", other: "*" } });
    install("host", { peerDependencies: { engine: "*" } });
    const project = { dependencies: { plugin: "1", host: "2", engine: "3" } };
    expect(dependencies(project, "plugin")).toEqual({ engine: "3", host: "2", plugin: "1", proffer });
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
