import { join } from "node:path";
import { fileNames, findFile, folderNames, readText } from "./confined-file.ts";

/** Files that are known by an id. */
export interface FileSet {
  /** The real path of the file; undefined if there is none. */
  find(id: string): Promise<string | undefined>;
  /** The ids that have a file and can stand in a URI, sorted. */
  ids(): Promise<readonly string[]>;
}

/** The characters that the document allows in an id. */
export const ID_CHARACTERS = "A-Za-z0-9_.-";

const ID = new RegExp(`^[${ID_CHARACTERS}]+$`);

/** Whether a name can stand in a URI. */
export function isId(name: string): boolean {
  return ID.test(name);
}

/** The files of one folder, by their names without the ending. */
export function filesIn(folder: string, ending: string): FileSet {
  return {
    find: (id) => findFile(folder, id + ending),
    ids: async () => toIds(await fileNames(folder), ending),
  };
}

/** The files of all folders in a folder, by their names without the ending: of two with the same name, the first. */
export function filesBelow(folder: string, ending: string): FileSet {
  return {
    async find(id) {
      for (const name of await folderNames(folder)) {
        const file = await findFile(folder, join(name, id + ending));
        if (file !== undefined) return file;
      }
      return undefined;
    },
    async ids() {
      const all = new Set<string>();
      for (const name of await folderNames(folder)) {
        for (const id of toIds(await fileNames(join(folder, name)), ending)) all.add(id);
      }
      return [...all].sort();
    },
  };
}

/** The text of the file with this id; undefined if there is none. */
export async function textOf(files: FileSet, id: string): Promise<string | undefined> {
  const file = await files.find(id);
  return file === undefined ? undefined : readText(file);
}

/** Whether there is a file with this id. */
export async function has(files: FileSet, id: string): Promise<boolean> {
  return (await files.find(id)) !== undefined;
}

function toIds(names: readonly string[], ending: string): string[] {
  return names
    .filter((name) => name.endsWith(ending))
    .map((name) => name.slice(0, -ending.length))
    .filter((id) => isId(id) && !id.endsWith(".meta"));
}
