import { InvalidParams } from "proffer";
import { type ConfinedDirectory, confine } from "proffer/files";

/** Files that are known by an id. */
export interface FileSet {
  has(id: string): Promise<boolean>;
  /** The text of a file; undefined if there is none. */
  text(id: string): Promise<string | undefined>;
  /** The ids that have a file and can stand in a URI, sorted. */
  ids(): Promise<readonly string[]>;
}

/** What one read may hold in memory; the largest real card or log is a hundred times smaller. */
const MAX_BYTES = 16 * 1024 * 1024;

/** The characters that the document allows in an id. */
export const ID_CHARACTERS = "A-Za-z0-9_.-";

const ID = new RegExp(`^[${ID_CHARACTERS}]+$`);

/** Whether a name can stand in a URI. */
export function isId(name: string): boolean {
  return ID.test(name);
}

/** A folder of algocline, which refuses links that lead out of it in its own words. */
export function openFolder(folder: string): ConfinedDirectory {
  return confine(folder, {
    maxBytes: MAX_BYTES,
    outside: (path) => new InvalidParams(`Path '${path}' escapes base directory`),
  });
}

/** The files of one folder, by their names without the ending. */
export function filesIn(folder: string, ending: string): FileSet {
  const files = openFolder(folder);
  return {
    has: (id) => files.has(id + ending),
    text: (id) => files.text(id + ending),
    ids: async () => toIds(await namesIn(files, ""), ending),
  };
}

/** Files of all folders in a folder. */
export interface ScatteredFiles extends FileSet {
  /** Where a file is, below the folder; undefined if there is none. */
  find(id: string): Promise<string | undefined>;
}

/** The files of all folders in a folder, by their names without the ending: of two with the same name, the first. */
export function filesBelow(folder: string, ending: string): ScatteredFiles {
  const files = openFolder(folder);
  async function folders(): Promise<string[]> {
    return (await files.entries()).filter(({ isDirectory }) => isDirectory).map(({ name }) => name);
  }
  async function find(id: string): Promise<string | undefined> {
    for (const name of await folders()) {
      const path = `${name}/${id}${ending}`;
      if (await files.has(path)) return path;
    }
    return undefined;
  }
  return {
    find,
    has: async (id) => (await find(id)) !== undefined,
    async text(id) {
      const path = await find(id);
      return path === undefined ? undefined : files.text(path);
    },
    async ids() {
      const all = new Set<string>();
      for (const name of await folders()) {
        for (const id of toIds(await namesIn(files, name), ending)) all.add(id);
      }
      return [...all].sort();
    },
  };
}

async function namesIn(files: ConfinedDirectory, folder: string): Promise<string[]> {
  return (await files.entries(folder)).filter(({ isDirectory }) => !isDirectory).map(({ name }) => name);
}

function toIds(names: readonly string[], ending: string): string[] {
  return names
    .filter((name) => name.endsWith(ending))
    .map((name) => name.slice(0, -ending.length))
    .filter((id) => isId(id) && !id.endsWith(".meta"));
}
