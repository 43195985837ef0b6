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
  let timer: NodeJS.Timeout | undefined;
  try {
    const watcher = fs.watch(toPath(from), { recursive: true, persistent: false }, () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        changed();
      }, 100).unref();
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

function readFolder(from: string | URL): Folder {
  const { fs, path } = builtins();
  const files = new Map<string, Uint8Array>();
  let total = 0;
  let root: string;
  try {
    root = fs.realpathSync(toPath(from));
  } catch (cause) {
    throw new UsageError(`The folder of skills ${from} cannot be read.`, "bad_option", { cause });
  }
  const visit = (folder: string, seen: readonly string[]): void => {
    for (const { name } of fs.readdirSync(path.join(root, folder), { withFileTypes: true })) {
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

/** Node's modules, not imported: bundles for other run-times contain this file, too. @throws {UsageError} there. */
function builtins() {
  const [fs, path, url] = ["node:fs", "node:path", "node:url"].map(builtinModule) as [
    typeof import("node:fs") | undefined,
    typeof import("node:path"),
    typeof import("node:url"),
  ];
  if (fs !== undefined) return { fs, path, url };
  throw new UsageError("A folder of skills can only be read on Node. Elsewhere, serve the output of proffer build.");
}
