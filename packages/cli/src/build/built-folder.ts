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
 * Writes a folder that can be served without a compiler, and gives the number of its files. What is there already is
 * replaced: see `checkTarget`.
 * @param emit - gives the JavaScript for the folder that it will be in.
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
    // Only now is the earlier build of no use any more.
    rmSync(target, { recursive: true, force: true });
    renameSync(temporary, target);
    return emission.files.length + Object.keys(files).length;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** @throws {CommandError} for a folder that holds anything but an earlier build. */
export function checkTarget(module: string, out: string): void {
  const target = resolve(out);
  const inside = relative(target, module);
  if (!inside.startsWith("..") && !inside.startsWith("/")) {
    throw new CommandError(`${out} holds ${basename(module)} itself. Name a folder of its own, such as dist.`);
  }
  const stats = statSync(target, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isDirectory()) throw new CommandError(`${out} is a file. Name a folder, such as dist.`);
  const isEmpty = readdirSync(target).length === 0;
  const isBuild = existsSync(join(target, BUILT_SERVER)) && existsSync(join(target, BUILT_MANIFEST));
  if (isEmpty || isBuild) return;
  throw new CommandError(
    `${out} holds something else than a build of Proffer. Name another folder, or empty it first.`,
  );
}

/** The texts of files, by name. */
interface Files {
  readonly [name: string]: string;
}

function describeFiles(module: string, derivation: Derivation, entry: string): Files {
  const { form } = derivation;
  const manifest = toManifest(derivation);
  return {
    "index.js": INDEX,
    ...(form === "server" ? ownServer(entry) : derivedServer(entry, manifest)),
    [BUILT_MANIFEST]: `${JSON.stringify({ form, ...manifest })}\n`,
    "package.json": `${JSON.stringify(describePackage(module, derivation), undefined, 2)}\n`,
  };
}

/** What the folder needs to be installed somewhere else by itself. */
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
import server, { load } from "./server.js";

await serveByArguments(server, load);
`;

function derivedServer(entry: string, { tools }: Manifest): Files {
  return {
    [CHECKS]: writeChecksModule(tools),
    [BUILT_SERVER]: `import { readFileSync } from "node:fs";
import { createDerivedServer } from "proffer/derived";

const manifest = JSON.parse(readFileSync(new URL("./${BUILT_MANIFEST}", import.meta.url), "utf8"));
const checks = () => import("./${CHECKS}");

/** Imports the module, and the checks of its arguments. The server says what it has without them. */
export const load = async () => {
  const [module] = await Promise.all([import(${JSON.stringify(`./${MODULES}/${entry}`)}), checks()]);
  return module;
};

export default createDerivedServer(manifest, load, { checks });
`,
  };
}

function ownServer(entry: string): Files {
  return {
    [BUILT_SERVER]: `export { default } from ${JSON.stringify(`./${MODULES}/${entry}`)};

/** Everything is imported already. */
export const load = async () => {};
`,
  };
}
