import { unref } from "../../support/async.ts";
import { messageOf } from "../../support/log.ts";
import { builtinModule } from "../../support/run-time.ts";
import { UsageError } from "../../support/usage-error.ts";
import { SKILL_FILE, type Skill, type SkillAccess, toSkill } from "./skill.ts";

/** A folder of skills with settings. */
export interface SkillFolder extends SkillAccess {
  /** The folder: each folder below it that contains a `SKILL.md` is a skill. */
  readonly from: string | URL;
  /** Segments before the paths of the skills in their URIs, such as "acme". Default: none. */
  readonly prefix?: string;
}

/** The option `skills` of `defineServer`: folders, and skills that `defineSkill` created. */
export type SkillsOption = SkillSource | readonly SkillSource[];
export type SkillSource = string | URL | SkillFolder | Skill;

/** All files of a folder are kept in memory, so that a digest and a read never come from different states. */
const MAX_TOTAL = 256 * 1024 * 1024;
const MAX_ENTRIES = 20_000;

/**
 * Reads the skills of a folder, all at once and synchronously, so that no edit mixes two states of a skill.
 * @throws {UsageError} for a folder that cannot be read, and for a skill that hosts would refuse.
 */
export function readSkills({ from, prefix = "", ...access }: SkillFolder): readonly Skill[] {
  const { files, root } = readFolder(from);
  const paths = [...files.keys()].filter((path) => path === SKILL_FILE || path.endsWith(`/${SKILL_FILE}`));
  if (paths.length === 0) throw new UsageError(`The folder of skills ${root} contains no ${SKILL_FILE}.`);
  return paths.sort().map((path) => {
    const folder = path.slice(0, -SKILL_FILE.length - 1);
    if (folder === "")
      throw new UsageError(`${root}/${SKILL_FILE} must be in a folder of its own, with the name of the skill.`);
    // The files of a skill inside another one belong to both.
    const own = [...files].flatMap(([file, bytes]) =>
      file.startsWith(`${folder}/`) ? [[file.slice(folder.length + 1), bytes] as const] : [],
    );
    return toSkill([prefix, folder].filter((part) => part !== "").join("/"), new Map(own), access);
  });
}

/** Calls back when something below the folder changes, at most every 100 ms. Returns a function that ends it. */
export function watchSkills({ from }: SkillFolder, changed: () => void, failed: (error: unknown) => void): () => void {
  const { fs } = builtins();
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    const watcher = fs.watch(toPath(from), { recursive: true, persistent: false }, () => {
      timer ??= unref(
        setTimeout(() => {
          timer = undefined;
          changed();
        }, 100),
      );
    });
    watcher.on("error", failed);
    return () => {
      watcher.close();
      clearTimeout(timer);
    };
  } catch (error) {
    failed(error);
    return () => undefined;
  }
}

interface Folder {
  /** The real path of the folder. */
  readonly root: string;
  /** The bytes of each file by its path, with "/". */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** @throws {UsageError} for a folder that cannot be read, is too large, or has a link that leads outside. */
function readFolder(from: string | URL): Folder {
  try {
    return visitFolder(from);
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    const message = `The folder of skills ${from} cannot be read: ${messageOf(cause)}`;
    throw new UsageError(message, "bad_option", { cause });
  }
}

function visitFolder(from: string | URL): Folder {
  const { fs, path } = builtins();
  const files = new Map<string, Uint8Array>();
  let total = 0;
  const root = fs.realpathSync(toPath(from));
  const visit = (folder: string, seen: readonly string[]): void => {
    for (const name of fs.readdirSync(path.join(root, folder))) {
      // Such as .git and .DS_Store.
      if (name.startsWith(".")) continue;
      const file = folder === "" ? name : `${folder}/${name}`;
      const real = fs.realpathSync(path.join(root, file));
      if (!real.startsWith(root + path.sep))
        throw new UsageError(`${file} in the folder of skills ${root} is a link that leads outside: copy the file.`);
      const stats = fs.statSync(real);
      if (stats.isDirectory()) {
        if (seen.includes(real))
          throw new UsageError(`${file} in the folder of skills ${root} is a link to a folder above it.`);
        visit(file, [...seen, real]);
      } else if (stats.isFile()) {
        total += stats.size;
        if (total > MAX_TOTAL || files.size >= MAX_ENTRIES)
          throw new UsageError(`The folder of skills ${root} exceeds ${MAX_ENTRIES} files or ${MAX_TOTAL} bytes.`);
        files.set(file, new Uint8Array(fs.readFileSync(real)));
      }
    }
  };
  visit("", [root]);
  return { root, files };
}

function toPath(from: string | URL): string {
  const { path, url } = builtins();
  return from instanceof URL || from.startsWith("file:") ? url.fileURLToPath(from) : path.resolve(from);
}

/** The synchronous functions of Node that reading needs. */
interface NodeFs {
  realpathSync(path: string): string;
  readdirSync(path: string): readonly string[];
  statSync(path: string): { readonly size: number; isDirectory(): boolean; isFile(): boolean };
  readFileSync(path: string): Uint8Array;
  watch(path: string, options: object, changed: () => void): Watcher;
}

interface Watcher {
  on(event: "error", listener: (error: Error) => void): unknown;
  close(): void;
}

interface NodePath {
  readonly sep: string;
  join(...parts: string[]): string;
  resolve(path: string): string;
}

interface NodeUrl {
  fileURLToPath(url: string | URL): string;
}

/** Node's modules, not imported: bundles for other run-times contain this file, too. @throws {UsageError} there. */
function builtins(): { readonly fs: NodeFs; readonly path: NodePath; readonly url: NodeUrl } {
  const [fs, path, url] = ["node:fs", "node:path", "node:url"].map(builtinModule);
  if (fs !== undefined) return { fs: fs as NodeFs, path: path as NodePath, url: url as NodeUrl };
  throw new UsageError("A folder of skills can only be read on Node. Elsewhere, define skills in code.");
}
