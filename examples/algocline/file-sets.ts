import { InvalidParams } from "proffer";
import { type ConfinedDirectory, confine } from "proffer/files";

/** Files with an id each. */
export interface FileSet {
  has(id: string): Promise<boolean>;
  /** The text of a file; undefined if it does not exist. */
  text(id: string): Promise<string | undefined>;
  /** The sorted ids of all files whose names are valid ids. */
  ids(): Promise<readonly string[]>;
}

/** Limit of one read; the largest real card or log is a hundred times smaller. */
const MAX_BYTES = 16 * 1024 * 1024;

/** The characters that the document allows in an id. */
export const ID_CHARACTERS = "A-Za-z0-9_.-";

const ID = new RegExp(`^[${ID_CHARACTERS}]+$`);

/** Whether a name is a valid id. */
export function isId(name: string): boolean {
  return ID.test(name);
}

/** Opens a folder that rejects symbolic links out of it with algocline's message. */
export function openFolder(folder: string): ConfinedDirectory {
  return confine(folder, {
    maxBytes: MAX_BYTES,
    outside: (path) => new InvalidParams(`Path '${path}' escapes base directory`),
  });
}

/** The files of one folder; their names without the ending are the ids. */
export function filesIn(folder: string, ending: string): FileSet {
  const files = openFolder(folder);
  return {
    has: (id) => files.has(id + ending),
    text: (id) => files.text(id + ending),
    ids: async () => toIds(await namesIn(files, ""), ending),
  };
}

/** The files in all subfolders of a folder. */
export interface ScatteredFiles extends FileSet {
  /** The path of a file, relative to the folder; undefined if it does not exist. */
  find(id: string): Promise<string | undefined>;
}

/** The files in all subfolders; their names without the ending are the ids. If two are equal, the first file counts. */
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
