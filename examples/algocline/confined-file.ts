import { constants, type Dirent } from "node:fs";
import { open, readdir, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { InvalidParams, RpcError } from "proffer";

/** What one read may hold in memory; the largest real card or log is a hundred times smaller. */
const MAX_BYTES = 16 * 1024 * 1024;
/** What the system says of a path that leads nowhere. */
const ABSENT = ["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ELOOP"];

/**
 * The real path of a file below a folder; undefined if there is none. The folder itself may be a link: algocline links
 * packages that are being worked on. @throws {InvalidParams} for a link that leads out of the folder.
 */
export async function findFile(folder: string, name: string): Promise<string | undefined> {
  const base = await orAbsent(realpath(folder));
  const file = base === undefined ? undefined : await orAbsent(realpath(join(base, name)));
  if (file === undefined) return undefined;
  if (!file.startsWith(base + sep)) throw new InvalidParams(`Path '${name}' escapes base directory`);
  return (await orAbsent(stat(file)))?.isFile() ? file : undefined;
}

/** The text of a file that `findFile` found, unless it is gone since. @throws {RpcError} if it is too large to be sent. */
export async function readText(file: string): Promise<string | undefined> {
  // Neither a link nor a pipe that took its place in the meantime is followed or waited for.
  const handle = await orAbsent(open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK));
  if (handle === undefined) return undefined;
  try {
    const { size } = await handle.stat();
    if (size > MAX_BYTES) {
      throw new RpcError("internal_error", `The file has ${size} bytes; no more than ${MAX_BYTES} can be read.`);
    }
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}

/** The names of the files in a folder, sorted; none if it is not there. Links count if they stay inside. */
export async function fileNames(folder: string): Promise<string[]> {
  const names: string[] = [];
  for (const entry of await entriesOf(folder)) {
    if (entry.isFile() || (entry.isSymbolicLink() && (await leadsToFile(folder, entry.name)))) names.push(entry.name);
  }
  return names.sort();
}

/** The names of the folders in a folder, and of links, which may lead to one; none if it is not there. */
export async function folderNames(folder: string): Promise<string[]> {
  const folders = (await entriesOf(folder)).filter((entry) => entry.isDirectory() || entry.isSymbolicLink());
  return folders.map(({ name }) => name).sort();
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  return (await orAbsent(readdir(folder, { withFileTypes: true }))) ?? [];
}

async function leadsToFile(folder: string, name: string): Promise<boolean> {
  return (await findFile(folder, name).catch(() => undefined)) !== undefined;
}

async function orAbsent<Value>(pending: Promise<Value>): Promise<Value | undefined> {
  try {
    return await pending;
  } catch (error) {
    if (ABSENT.includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}
