import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import type { ManifestSettings } from "proffer/derived";
import { type Flag, SERVE_FLAGS } from "proffer/flags";
import { isRequired, isSecret } from "proffer/settings";
import type { Derivation, Emission } from "../derive/index.ts";
import { toManifest } from "../modules/derive-module.ts";
import { writeEmission } from "../modules/emission.ts";
import { BUILT_MANIFEST, BUILT_SERVER, isBundleFolder } from "../modules/module-file.ts";
import { CommandError } from "../terminal/command-error.ts";
import { isRelativePath } from "../terminal/paths.ts";
import { fromHere } from "../terminal/shell.ts";
import { warn } from "../terminal/terminal.ts";
import { copyAssets } from "./assets.ts";
import { type BuiltPackage, describePackage } from "./built-package.ts";

export const MODULES = "modules";

/** The parts of a build. */
export interface BuildSource {
  readonly module: string;
  readonly derivation: Derivation;
  readonly emission: Emission;
  /** The specifiers of packages that the emitted files import. */
  readonly imports: readonly string[];
  /** Absolute paths of files that the module reads at run time. */
  readonly assets: readonly string[];
}

/** What is done with a written folder before it replaces an earlier one. It may add files, and throw. */
export type Finish = (folder: string) => Promise<void>;

/**
 * Writes a folder that can be served without a compiler, and returns the number of files. Existing content is replaced;
 * call `checkTarget` first.
 * @param isImage - whether the folder is installed elsewhere for sure
 */
export function writeBuild(source: BuildSource, out: string, isImage: boolean, finish: Finish): Promise<number> {
  const write = (folder: string) => {
    const { folders, siblings } = fillFolder(source, folder);
    for (const sibling of siblings) {
      warn(`${sibling} is a package of this workspace. To install the build elsewhere, publish it, or use --bundle.`);
    }
    const [name] = folders;
    if (name === undefined) return;
    const problem = `${name} is a folder of this machine, so the build cannot be installed elsewhere.`;
    const remedy = "Use --bundle, which contains it, or depend on a tarball that npm pack writes.";
    if (isImage) throw new CommandError(`${problem} Nothing was written. ${remedy}`);
    warn(`${problem} ${remedy}`);
  };
  return replaceFolder(fromHere(out), write, finish);
}

/** Writes the files of a build into a folder. Returns its packages. */
export function fillFolder(source: BuildSource, folder: string): BuiltPackage {
  const { module, derivation, emission, imports, assets } = source;
  const built = describePackage(module, derivation, imports);
  const { content, lock, tarballs } = built;
  const files: Files = {
    ...describeFiles(derivation, emission.entry),
    "server.d.ts": DECLARATIONS,
    "package.json": `${JSON.stringify(content, undefined, 2)}\n`,
    ...(lock && { "package-lock.json": `${JSON.stringify(lock, undefined, 2)}\n` }),
  };
  const emitted = new Map(
    emission.files.flatMap(({ path, source: from }) => [
      [path, from],
      [`${path}.map`, undefined],
    ]),
  );
  writeEmission(join(folder, MODULES), emission);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  for (const file of tarballs) copyFileSync(file, join(folder, basename(file)));
  copyAssets(assets, emission.root, join(folder, MODULES), emitted);
  return built;
}

/**
 * Replaces a folder when `write` has written the new content and `finish` has accepted it, and returns the number of its
 * files. If one of them throws, the folder stays as it is.
 */
export async function replaceFolder(target: string, write: (folder: string) => void, finish: Finish): Promise<number> {
  const temporary = `${target}.${process.pid}.tmp`;
  rmSync(temporary, { recursive: true, force: true });
  mkdirSync(temporary, { recursive: true });
  try {
    write(temporary);
    await finish(temporary);
    rmSync(target, { recursive: true, force: true });
    renameSync(temporary, target);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  const entries = readdirSync(target, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile() && !entry.name.endsWith(".js.map")).length;
}

/** @throws {CommandError} for a folder with content other than an earlier build. */
export function checkTarget(module: string, out: string): void {
  const target = fromHere(out);
  const inside = relative(target, module);
  if (!inside.startsWith("..") && !inside.startsWith("/")) {
    throw new CommandError(`${out} contains ${basename(module)} itself. Choose a separate folder, such as dist.`);
  }
  const stats = statSync(target, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isDirectory()) throw new CommandError(`${out} is a file. Choose a folder, such as dist.`);
  const isEmpty = readdirSync(target).length === 0;
  const isBuild = existsSync(join(target, BUILT_SERVER)) && existsSync(join(target, BUILT_MANIFEST));
  if (isEmpty || isBuild || isBundleFolder(target)) return;
  throw new CommandError(
    `${out} contains files that are not a Proffer build. Choose another folder, or empty it first.`,
  );
}

/** The contents of files, by name. */
interface Files {
  readonly [name: string]: string;
}

/** Returns the files beside the emitted modules. Only `index.js` needs Node. */
export function describeFiles(derivation: Derivation, entry: string): Files {
  const { form } = derivation;
  const manifest = toManifest(derivation);
  return {
    "index.js": describeIndex(form === "functions", manifest.settings !== undefined),
    [BUILT_SERVER]: SERVERS[form](JSON.stringify(`./${MODULES}/${entry}`)),
    [BUILT_MANIFEST]: `export default JSON.parse(${quote(JSON.stringify({ form, ...manifest }))});\n`,
  };
}

/** Writes a string literal. In single quotes, JSON needs few escapes. `JSON.parse` is faster than an object literal. */
function quote(json: string): string {
  return `'${json.replace(/[\\']/g, "\\$&")}'`;
}

/**
 * Returns the file that serves the build. The arguments and the settings are checked before the author's module is
 * imported. The server of a module of functions imports that module later; Node reads all other files at the same time.
 */
function describeIndex(isEager: boolean, hasSettings: boolean): string {
  const imports = [
    ...(hasSettings ? ['import { checkSettings } from "proffer/settings";'] : []),
    'import { serveByArguments } from "proffer/process";',
    ...(hasSettings ? [IMPORT_MANIFEST] : []),
    ...(isEager ? [`import * as built from "./${BUILT_SERVER}";`] : []),
  ];
  const server = isEager ? "built" : `import("./${BUILT_SERVER}")`;
  const open = hasSettings ? `{\n  checkSettings(manifest.settings);\n  return ${server};\n}` : server;
  return `#!/usr/bin/env node\n${imports.join("\n")}\n\nawait serveByArguments(() => ${open});\n`;
}

const IMPORT_MANIFEST = `import manifest from "./${BUILT_MANIFEST}";`;
/** For applications in TypeScript that serve the server themselves. */
const DECLARATIONS = `import type { Server } from "proffer";

declare const server: Server;
export default server;
/** Imports the module. The server can list its tools before that. */
export declare const load: () => Promise<unknown>;
`;
const LOADED = `/** Does nothing: the import above has loaded everything. */
export const load = async () => {};
`;

/** The file that exports the server, by the form of the module. `entry` is the author's module as a literal. */
const SERVERS: { readonly [Form in Derivation["form"]]: (entry: string) => string } = {
  functions: (entry) => `import { createDerivedServer } from "proffer/built";
${IMPORT_MANIFEST}

/** Imports the module. The server can list its tools before that. */
export const load = () => import(${entry});

export default createDerivedServer(manifest, load);
`,
  combined: (entry) => `import { addFunctions } from "proffer/built";
${IMPORT_MANIFEST}
import * as module from ${entry};

${LOADED}
export default addFunctions(module.server, module, manifest, { source: import.meta.url });
`,
  server: (entry) => `export { default } from ${entry};\n\n${LOADED}`,
};

interface DockerOptions {
  /** The file that starts the server. */
  readonly index: string;
  /** Whether the folder needs its packages. */
  readonly installs: boolean;
  readonly settings: ManifestSettings | undefined;
}

/** Asks the server whether it accepts calls. The image has no curl. */
const PROBE =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: evaluated in the container.
  "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))";

/**
 * Writes a Dockerfile into a built folder, for `docker build <folder>`, and a .dockerignore.
 * @throws {CommandError} if an asset has one of these names.
 */
export function writeDocker(folder: string, options: DockerOptions): void {
  const packed = readdirSync(folder).filter((name) => name === "package-lock.json" || /\.(?:tgz|tar\.gz)$/.test(name));
  const files = Object.entries({
    Dockerfile: describeDocker(options, packed),
    ".dockerignore": `${ignoredFiles(options).join("\n")}\n`,
  });
  for (const [name, content] of files) {
    try {
      writeFileSync(join(folder, name), content, { flag: "wx" });
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "EEXIST") throw cause;
      throw new CommandError(`An asset of the build is named ${name}. Rename it, or leave --docker out.`, { cause });
    }
  }
}

/**
 * Returns the files of a built folder that an image does not copy. Packages are installed in the image: those of this
 * machine may be for another platform. Those of a bundle are data.
 */
export function ignoredFiles({ installs }: Pick<DockerOptions, "installs">): string[] {
  return [...(installs ? ["node_modules"] : []), "Dockerfile", ".dockerignore"];
}

/**
 * Returns the text of a Dockerfile.
 * @param packed - the files beside package.json that npm needs
 */
function describeDocker({ index, installs, settings }: DockerOptions, packed: readonly string[]): string {
  const install = packed.includes("package-lock.json") ? "npm ci --omit=dev" : "npm install --omit=dev";
  const files = Object.entries(settings?.properties ?? {}).filter(([, { default: value }]) => isRelativePath(value));
  const lines = [
    // Their values must not be part of the image.
    "# Set these variables when the container runs, with -e or --env-file:",
    ...describeVariables(settings),
    "FROM node:22-slim",
    "WORKDIR /app",
    ...(installs ? [`COPY ${["package.json", ...packed].join(" ")} ./`, `RUN ${install}`] : []),
    "COPY . .",
    ...files.map(([name, { default: value }]) => `# ${name} is /app/${value} by default: keep it in a volume.`),
    ...(files.length > 0 ? ["RUN chown node:node /app"] : []),
    "USER node",
    "ENV NODE_ENV=production PROFFER_HOST=0.0.0.0 PORT=3000",
    "EXPOSE 3000",
    `HEALTHCHECK --interval=10s --timeout=3s --start-period=5s CMD ${JSON.stringify(["node", "-e", PROBE])}`,
    `CMD ${JSON.stringify(["node", index, "--http", "--health"])}`,
  ];
  return `${lines.join("\n")}\n`;
}

/** The variables of the run-time that are no flags of `serve`. */
const NODE_VARIABLES = ["PROFFER_KEYS", "PROFFER_REDIS_URL", "PROFFER_REDIS_PREFIX", "PROFFER_TASKS"];

/** Names every variable that the container reads. */
function describeVariables(settings: ManifestSettings | undefined): string[] {
  const own = Object.keys(settings?.properties ?? {}).map((name) => {
    const needs = settings !== undefined && isRequired(settings, name) ? "required" : "optional";
    return `#   ${name}  ${needs}${isSecret(settings?.properties[name] ?? {}) ? ", secret" : ""}`;
  });
  const flags = SERVE_FLAGS.flatMap((flag: Flag) => flag.variable ?? []).filter(
    (name) => !/^(?:PORT|PROFFER_HOST)$/.test(name),
  );
  const others = [
    ...flags.filter((name) => name !== "PROFFER_ALLOWED_HOSTS"),
    ...NODE_VARIABLES,
    "PROFFER_TASK_CONCURRENCY",
  ];
  return [...own, "#   PROFFER_ALLOWED_HOSTS  the host names that clients use", `#   if needed: ${others.join(", ")}`];
}
