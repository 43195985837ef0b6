import { mkdir, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Context, defineServer, type Result, result } from "proffer";
import { applyEdits, describeChange, type Edit } from "./edits.ts";
import { move, replaceFile, sizeText } from "./files.ts";
import { foldersOf } from "./folders.ts";
import { firstLines, lastLines, unifyNewlines } from "./lines.ts";
import { type Media, readMedia, toContent } from "./media.ts";
import { findPaths, matchesAny, matchesAnyName, readTree } from "./tree.ts";

export const server = defineServer({ name: "secure-filesystem-server", version: "0.2.0", errors: "message" });

/** The result of most tools: a text for the model, and the same text as structured content. */
type Text = Result<{ content: string }>;

function toText(content: string): Text {
  return result({ content }, { content });
}

/**
 * Reads a text file.
 * @title Read File (Deprecated)
 * @deprecated Use read_text_file.
 * @readOnly
 * @openWorld false
 * @param path - the file.
 * @param tail - reads only this many lines, from the end.
 * @param head - reads only this many lines, from the start.
 */
export function read_file(ctx: Context, path: string, tail?: number, head?: number): Promise<Text> {
  return read_text_file(ctx, path, tail, head);
}

/**
 * Reads a file as UTF-8 text, whatever its extension: the whole file, or its first or last lines.
 * @title Read Text File
 * @readOnly
 * @openWorld false
 * @param path - the file.
 * @param tail - reads only this many lines, from the end.
 * @param head - reads only this many lines, from the start.
 */
export async function read_text_file(ctx: Context, path: string, tail?: number, head?: number): Promise<Text> {
  const file = await find(ctx, path);
  if (head && tail) throw new Error("Cannot specify both head and tail parameters simultaneously");
  if (tail) return toText(await lastLines(file, tail));
  return toText(head ? await firstLines(file, head) : await readFile(file, "utf8"));
}

/**
 * Reads a file as it is: an image or a recording that the client can show, or the bytes of any other file.
 * @title Read Media File
 * @readOnly
 * @openWorld false
 * @param path - the file.
 */
export async function read_media_file(ctx: Context, path: string): Promise<Result<{ content: Media[] }>> {
  const media = await readMedia(await find(ctx, path));
  return result({ content: [media] }, { content: [toContent(media)] });
}

/**
 * Reads several text files at once. A file that cannot be read is reported in its place.
 * @title Read Multiple Files
 * @readOnly
 * @openWorld false
 * @param paths - the files. @minItems 1
 */
export async function read_multiple_files(ctx: Context, paths: string[]): Promise<Text> {
  const readOne = async (path: string): Promise<string> => {
    try {
      return `${path}:\n${await readFile(await find(ctx, path), "utf8")}\n`;
    } catch (error) {
      return `${path}: Error - ${(error as Error).message}`;
    }
  };
  return toText((await Promise.all(paths.map(readOne))).join("\n---\n"));
}

/**
 * Writes a text file. An existing file is replaced without a question.
 * @title Write File
 * @readOnly false
 * @idempotent
 * @destructive
 * @openWorld false
 * @param path - the file.
 * @param content - its new text.
 */
export async function write_file(ctx: Context, path: string, content: string): Promise<Text> {
  await replaceFile(await find(ctx, path), content);
  return toText(`Successfully wrote to ${path}`);
}

/**
 * Replaces passages of a text file, one after the other, and returns the difference in the format of git. If a passage
 * does not occur exactly, lines that differ only in their indentation are replaced.
 * @title Edit File
 * @readOnly false
 * @idempotent false
 * @destructive
 * @openWorld false
 * @param path - the file.
 * @param edits - the passages.
 * @param dryRun - only shows the difference.
 */
export async function edit_file(ctx: Context, path: string, edits: Edit[], dryRun = false): Promise<Text> {
  const file = await find(ctx, path);
  const before = unifyNewlines(await readFile(file, "utf8"));
  const after = applyEdits(before, edits);
  if (!dryRun) await replaceFile(file, after);
  return toText(describeChange(file, before, after));
}

/**
 * Creates a folder, and the folders around it. It may exist already.
 * @title Create Directory
 * @readOnly false
 * @idempotent
 * @destructive false
 * @openWorld false
 * @param path - the folder.
 */
export async function create_directory(ctx: Context, path: string): Promise<Text> {
  await mkdir(await find(ctx, path), { recursive: true });
  return toText(`Successfully created directory ${path}`);
}

/**
 * Lists a folder. Each line begins with [FILE] or [DIR].
 * @title List Directory
 * @readOnly
 * @openWorld false
 * @param path - the folder.
 */
export async function list_directory(ctx: Context, path: string): Promise<Text> {
  const entries = await readdir(await find(ctx, path), { withFileTypes: true });
  return toText(entries.map((entry) => `${entry.isDirectory() ? "[DIR]" : "[FILE]"} ${entry.name}`).join("\n"));
}

/**
 * Lists a folder with the sizes of its files, and their sum.
 * @title List Directory with Sizes
 * @readOnly
 * @openWorld false
 * @param path - the folder.
 * @param sortBy - the order: by name, or the largest first.
 */
export async function list_directory_with_sizes(
  ctx: Context,
  path: string,
  sortBy: "name" | "size" = "name",
): Promise<Text> {
  const folder = await find(ctx, path);
  const sizeOf = (name: string) =>
    stat(join(folder, name)).then(
      ({ size }) => size,
      () => 0,
    );
  const entries = await Promise.all(
    (await readdir(folder, { withFileTypes: true })).map(async (entry) => {
      return { name: entry.name, isFolder: entry.isDirectory(), size: await sizeOf(entry.name) };
    }),
  );
  entries.sort((a, b) => (sortBy === "size" ? b.size - a.size : a.name.localeCompare(b.name)));
  const lines = entries.map(({ name, isFolder, size }) =>
    isFolder ? `[DIR] ${name.padEnd(30)} ` : `[FILE] ${name.padEnd(30)} ${sizeText(size).padStart(10)}`,
  );
  const files = entries.filter(({ isFolder }) => !isFolder);
  const total = files.reduce((sum, { size }) => sum + size, 0);
  const counts = `Total: ${files.length} files, ${entries.length - files.length} directories`;
  return toText([...lines, "", counts, `Combined size: ${sizeText(total)}`].join("\n"));
}

/**
 * Returns a folder and all folders in it as JSON: each entry has a name and a type, each folder its children.
 * @title Directory Tree
 * @readOnly
 * @openWorld false
 * @param path - the folder.
 * @param excludePatterns - globs of the entries to leave out; a name without a star is left out everywhere.
 */
export async function directory_tree(ctx: Context, path: string, excludePatterns: string[] = []): Promise<Text> {
  const tree = await readTree(await foldersOf(ctx), path, matchesAnyName(excludePatterns));
  return toText(JSON.stringify(tree, undefined, 2));
}

/**
 * Moves or renames a file or folder. It fails if the new place is taken.
 * @title Move File
 * @readOnly false
 * @idempotent false
 * @destructive
 * @openWorld false
 * @param source - the file or folder.
 * @param destination - its new place.
 */
export async function move_file(ctx: Context, source: string, destination: string): Promise<Text> {
  await move(await find(ctx, source), await find(ctx, destination));
  return toText(`Successfully moved ${source} to ${destination}`);
}

/**
 * Finds files and folders by their path below a folder: `*.ts` in the folder, or `**\/*.ts` in all folders below it.
 * @title Search Files
 * @readOnly
 * @openWorld false
 * @param path - the folder.
 * @param pattern - a glob of the paths to find.
 * @param excludePatterns - globs of the paths to leave out.
 */
export async function search_files(
  ctx: Context,
  path: string,
  pattern: string,
  excludePatterns: string[] = [],
): Promise<Text> {
  const folders = await foldersOf(ctx);
  const found = await findPaths(folders, await folders.find(path), pattern, matchesAny(excludePatterns));
  return toText(found.length > 0 ? found.join("\n") : "No matches found");
}

/**
 * Returns the size, times, kind and permissions of a file or folder.
 * @title Get File Info
 * @readOnly
 * @openWorld false
 * @param path - the file or folder.
 */
export async function get_file_info(ctx: Context, path: string): Promise<Text> {
  const stats = await stat(await find(ctx, path));
  const info = {
    size: stats.size,
    created: stats.birthtime,
    modified: stats.mtime,
    accessed: stats.atime,
    isDirectory: stats.isDirectory(),
    isFile: stats.isFile(),
    permissions: stats.mode.toString(8).slice(-3),
  };
  return toText(
    Object.entries(info)
      .map(([name, value]) => `${name}: ${value}`)
      .join("\n"),
  );
}

/**
 * Returns the folders that this server may use. Everything inside them may be used too.
 * @title List Allowed Directories
 * @readOnly
 * @openWorld false
 */
export async function list_allowed_directories(ctx: Context): Promise<Text> {
  return toText(`Allowed directories:\n${(await foldersOf(ctx)).all.join("\n")}`);
}

async function find(ctx: Context, path: string): Promise<string> {
  return (await foldersOf(ctx)).find(path);
}
