import type { BigIntStats } from "node:fs";
import { resolve } from "node:path";
import type { CacheHints } from "../../protocol/model.ts";
import { defineResource, type Resource } from "../../resources/define.ts";
import type { ListEntry } from "../../resources/list.ts";
import { integer } from "../../resources/params/integer.ts";
import { path, pathProblem } from "../../resources/params/path.ts";
import type { Watch } from "../../resources/watch.ts";
import { contents } from "../../results/content.ts";
import { UsageError } from "../../support/usage-error.ts";
import {
  Directories,
  type DirectoryPart,
  type FileEntry,
  statOf,
  toUri,
  type VisibleFiles,
  walk,
} from "./directories.ts";
import { toPathTest } from "./glob.ts";
import { readContent } from "./read.ts";
import { FilesRoot, type OpenFile } from "./root.ts";
import { loadTypes } from "./types.ts";
import { requirePeer, watchDirectory } from "./watch.ts";

/** Options for `files`. */
export interface FilesOptions {
  /** The prefix of the URIs: "docs://" or "file:///srv/docs/". */
  readonly uri: string;
  /** Default: the uri. */
  readonly name?: string;
  readonly description?: string;
  /** Globs of the files to serve, with `*`, `**` and `?`. Default: all files. */
  readonly include?: readonly string[];
  /** Globs of files and directories to leave out. Default: none. */
  readonly exclude?: readonly string[];
  /** Whether to serve names that start with a dot. Default: false. */
  readonly hidden?: boolean;
  /** Maximum number of bytes per read. Default: 8 MiB. */
  readonly maxBytes?: number;
  /** Maximum number of lines per read. Default: 10,000. */
  readonly maxLines?: number;
  /** Maximum number of entries of one directory, in a read of it and in the list. Default: 10,000. */
  readonly maxEntries?: number;
  /** Whether to notify subscribed clients of changes; needs the package chokidar. Default: false. */
  readonly watch?: boolean;
  readonly cache?: Partial<CacheHints>;
}

const MAX_BYTES = 8 * 1024 * 1024;
const MAX_LINES = 10_000;
const MAX_ENTRIES = 10_000;
const DIRECTORY = "inode/directory";

/**
 * Serves the files of a directory as resources: one for the directory itself, and a template for everything below it.
 * Files outside cannot be read, even if links are created while the server runs. @throws {UsageError} for bad options.
 *
 * @example
 * defineServer({
 *   name: "docs",
 *   version: "1.0.0",
 *   resources: [files("/srv/docs", { uri: "docs://", include: ["*.md"], exclude: ["drafts"] })],
 * });
 * // docs://guide.md, docs://guide.md?line=10&lines=20, docs://guide.md?offset=0&length=1024
 */
export function files(directory: string, options: FilesOptions): readonly Resource[] {
  const { uri, name = uri, maxBytes = MAX_BYTES, maxLines = MAX_LINES, maxEntries = MAX_ENTRIES } = options;
  if (typeof uri !== "string" || !uri.endsWith("/") || uri.includes("{")) {
    throw new UsageError(
      "bad_option",
      `files(): uri must end with a slash, such as "docs://", not ${JSON.stringify(uri)}.`,
    );
  }
  if (options.watch) requirePeer("chokidar", "files() with watch");
  const visible = toVisibleFiles(directory, options);
  const common = {
    ...(options.description === undefined ? {} : { description: options.description }),
    ...(options.cache === undefined ? {} : { cache: options.cache }),
    ...(options.watch ? { watch: watchFiles(visible) } : {}),
  };
  const directories = new Directories(visible, { maxEntries });
  const list = async (at: string) => listing(await directories.readVisible(at));
  return [
    defineResource({
      ...common,
      uri,
      name,
      mimeType: DIRECTORY,
      read: () => list(""),
    }),
    defineResource({
      ...common,
      uri: `${uri}{+path}{?offset,length,line,lines}`,
      name: `${name} file`,
      params: {
        path: path(),
        offset: integer(),
        length: integer({ max: maxBytes }),
        line: integer({ min: 1 }),
        lines: integer({ max: maxLines }),
      },
      list: ({ after }) => listFiles(visible, directories, after),
      exists: async (params) => (await readPath(visible, params.path, noContent)) !== undefined,
      read: ({ path: at, ...part }, reader) =>
        readPath(visible, at, async (found, file, stats) => {
          if (found.isDirectory) return list(found.path);
          const type = (await loadTypes())(found.path);
          return contents([await readContent(file, part, { maxBytes, type, stats, path: found.path, reader })]);
        }),
    }),
  ];
}

function noContent(): boolean {
  return true;
}

function toVisibleFiles(directory: string, options: FilesOptions): VisibleFiles {
  const isIncluded = toPathTest(options.include ?? ["**"]);
  const isExcluded = toPathTest(options.exclude ?? []);
  const isHidden = (at: string): boolean => !options.hidden && /(?:^|\/)\./.test(at);
  const isVisible = (at: string): boolean => !isHidden(at) && !withParents(at).some(isExcluded);
  return {
    root: new FilesRoot(resolve(directory)),
    uri: options.uri,
    showsDirectory: isVisible,
    showsFile: (at) => isVisible(at) && isIncluded(at),
  };
}

/** Returns a path and all its parent directories, because an excluded directory excludes its contents. */
function withParents(at: string): string[] {
  const all = [at];
  for (let slash = at.lastIndexOf("/"); slash > 0; slash = at.lastIndexOf("/", slash - 1)) {
    all.push(at.slice(0, slash));
  }
  return all;
}

/** An open file or directory, by its real path. */
type FoundFile = Pick<FileEntry, "path" | "isDirectory">;

/** Runs `use` with the open file; undefined unless the file is visible both by its path and by its real path. */
async function readPath<Value>(
  visible: VisibleFiles,
  at: string,
  use: (found: FoundFile, file: OpenFile, stats: BigIntStats) => Value | Promise<Value>,
): Promise<Value | undefined> {
  const opened = await visible.root.open(at);
  if (opened === undefined) return undefined;
  try {
    const stats = opened.file.stat();
    const isDirectory = stats.isDirectory();
    if (!isDirectory && !stats.isFile()) return undefined;
    const isVisible = isDirectory ? visible.showsDirectory : visible.showsFile;
    if (!isVisible(at) || !isVisible(opened.path)) return undefined;
    return await use({ path: opened.path, isDirectory }, opened.file, stats);
  } finally {
    opened.file.close();
  }
}

async function* listFiles(
  visible: VisibleFiles,
  directories: Directories,
  after: string | number | undefined,
): AsyncGenerator<ListEntry> {
  const typeOf = await loadTypes();
  for await (const found of walk(visible, directories, "", after === undefined ? undefined : String(after))) {
    const stats = await statOf(visible, found.path);
    if (stats === undefined) continue;
    const mimeType = typeOf(found.path);
    yield {
      uri: found.uri,
      name: found.path,
      size: stats.size,
      annotations: { lastModified: stats.mtime.toISOString() },
      ...(mimeType === undefined ? {} : { mimeType }),
    };
  }
}

function listing({ entries, more }: DirectoryPart) {
  const shown = entries.map(({ path: at, uri, isDirectory }) => ({
    name: at.slice(at.lastIndexOf("/") + 1),
    uri,
    ...(isDirectory ? { mimeType: DIRECTORY } : {}),
  }));
  return contents([{ mimeType: DIRECTORY, text: JSON.stringify(shown), _meta: { "proffer/more": more } }]);
}

/** Watches the visible files. An added or removed file also updates its directory and the list. */
function watchFiles(visible: VisibleFiles): Watch {
  return watchDirectory({
    root: () => visible.root.real(),
    isIgnored: (path) => !visible.showsDirectory(path) && !visible.showsFile(path),
    notify({ path, isDirectory, isListChange }, events) {
      if (pathProblem(path) !== undefined) return;
      if (isDirectory ? !visible.showsDirectory(path) : !visible.showsFile(path)) return;
      events.updated(toUri(visible, path));
      if (!isListChange) return;
      const parent = path.slice(0, Math.max(0, path.lastIndexOf("/")));
      events.updated(parent === "" ? visible.uri : toUri(visible, parent));
      events.listChanged();
    },
  });
}
