import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join, relative, resolve } from "node:path";
import type { Manifest } from "proffer/derived";
import type { Derivation, Emission } from "../derive/index.ts";
import { writeEmission } from "../modules/emission.ts";
import { BUILT_MANIFEST, BUILT_SERVER, findProject } from "../modules/module-file.ts";
import { ownVersion } from "../modules/own-version.ts";
import { toManifest } from "../modules/to-manifest.ts";
import { CommandError } from "../terminal/command-error.ts";
import { writeChecksModule } from "./checks-module.ts";

const MODULES = "modules";
const CHECKS = "checks.js";

/**
 * Writes a folder that can be served without a compiler, and returns the number of files. Existing content is replaced;
 * call `checkTarget` first.
 * @param emit - returns the JavaScript for its output folder
 */
export function writeBuild(
  module: string,
  out: string,
  derivation: Derivation,
  emit: (folder: string) => Emission,
): number {
  const target = resolve(out);
  const emission = emit(join(target, MODULES));
  const temporary = `${target}.${process.pid}.tmp`;
  rmSync(temporary, { recursive: true, force: true });
  mkdirSync(temporary, { recursive: true });
  try {
    writeEmission(join(temporary, MODULES), emission);
    const files = describeFiles(module, derivation, emission.entry);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(temporary, name), text);
    // The new build is complete: replace the earlier one.
    rmSync(target, { recursive: true, force: true });
    renameSync(temporary, target);
    return emission.files.length + Object.keys(files).length;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** @throws {CommandError} for a folder with content other than an earlier build. */
export function checkTarget(module: string, out: string): void {
  const target = resolve(out);
  const inside = relative(target, module);
  if (!inside.startsWith("..") && !inside.startsWith("/")) {
    throw new CommandError(`${out} contains ${basename(module)} itself. Choose a separate folder, such as dist.`);
  }
  const stats = statSync(target, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isDirectory()) throw new CommandError(`${out} is a file. Choose a folder, such as dist.`);
  const isEmpty = readdirSync(target).length === 0;
  const isBuild = existsSync(join(target, BUILT_SERVER)) && existsSync(join(target, BUILT_MANIFEST));
  if (isEmpty || isBuild) return;
  throw new CommandError(
    `${out} contains files that are not a Proffer build. Choose another folder, or empty it first.`,
  );
}

/** The contents of files, by name. */
interface Files {
  readonly [name: string]: string;
}

function describeFiles(module: string, derivation: Derivation, entry: string): Files {
  const { form } = derivation;
  const manifest = toManifest(derivation);
  return {
    "index.js": INDEX,
    ...SERVER_FILES[form](entry, manifest),
    [BUILT_MANIFEST]: `${JSON.stringify({ form, ...manifest })}\n`,
    "package.json": `${JSON.stringify(describePackage(module, derivation), undefined, 2)}\n`,
  };
}

/** Returns the package.json of the build, so that the folder can be installed elsewhere. */
function describePackage(module: string, { server }: Derivation): object {
  const file = join(findProject(module), "package.json");
  const { dependencies = {} } = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  return {
    name: server.name,
    version: server.version,
    private: true,
    type: "module",
    main: `./${BUILT_SERVER}`,
    bin: "./index.js",
    dependencies: { proffer: ownVersion(), ...dependencies },
  };
}

const INDEX = `#!/usr/bin/env node
import { serveByArguments } from "proffer/derived";

await serveByArguments(() => import("./server.js"));
`;

const READ_MANIFEST = `import { readFileSync } from "node:fs";`;
const MANIFEST = `const manifest = JSON.parse(readFileSync(new URL("./${BUILT_MANIFEST}", import.meta.url), "utf8"));`;
const LOADED = `/** Does nothing: the import above has loaded everything. */
export const load = async () => {};
`;

function derivedServer(entry: string, { tools }: Manifest): Files {
  return {
    [CHECKS]: writeChecksModule(tools),
    [BUILT_SERVER]: `${READ_MANIFEST}
import { createDerivedServer } from "proffer/derived";

${MANIFEST}
const checks = () => import("./${CHECKS}");

/** Imports the module and the checks of its arguments. The server can list its tools before that. */
export const load = async () => {
  const [module] = await Promise.all([import(${pathOf(entry)}), checks()]);
  return module;
};

export default createDerivedServer(manifest, load, { checks });
`,
  };
}

function combinedServer(entry: string, { tools }: Manifest): Files {
  return {
    [CHECKS]: writeChecksModule(tools),
    [BUILT_SERVER]: `${READ_MANIFEST}
import { addFunctions } from "proffer/derived";
import { checks } from "./${CHECKS}";
import * as module from ${pathOf(entry)};

${MANIFEST}

${LOADED}
export default addFunctions(module.server, module, manifest, { source: import.meta.url, checks });
`,
  };
}

function ownServer(entry: string): Files {
  return { [BUILT_SERVER]: `export { default } from ${pathOf(entry)};\n\n${LOADED}` };
}

const SERVER_FILES = { functions: derivedServer, server: ownServer, combined: combinedServer };

/** Returns the specifier of the author's module as a literal. */
function pathOf(entry: string): string {
  return JSON.stringify(`./${MODULES}/${entry}`);
}
