import type { BigIntStats } from "node:fs";
import { resolve } from "node:path";
import type { CacheHints } from "../../protocol/model.ts";
import { defineResource, type Resource } from "../../resources/define.ts";
import type { ListEntry } from "../../resources/list.ts";
import { integer } from "../../resources/params/integer.ts";
import { path } from "../../resources/params/path.ts";
import { contents } from "../../results/content.ts";
import { UsageError } from "../../support/usage-error.ts";
import { toPathTest } from "./glob.ts";
import type { OpenFile } from "./open-file.ts";
import { requirePeer } from "./peer.ts";
import { readContent } from "./read.ts";
import { FilesRoot } from "./root.ts";
import { loadTypes } from "./types.ts";
import { type Found, readDirectory, type Shown, statOf, toUri, walk } from "./walk.ts";
import { watchFiles } from "./watch.ts";

export interface FilesOptions {
  /** What the URIs begin with: "docs://" or "file:///srv/docs/". */
  readonly uri: string;
  /** Default: the uri. */
  readonly name?: string;
  readonly description?: string;
  /** Globs of the files that are shown: *, ** and ?. Default: all. */
  readonly include?: readonly string[];
  /** Globs of files and directories that are not. Default: none. */
  readonly exclude?: readonly string[];
  /** Whether names that begin with a dot are shown. Default: false. */
  readonly hidden?: boolean;
  /** How much of a file one read gives. Default: 8 MiB. */
  readonly maxBytes?: number;
  /** How many lines one read gives. Default: 10,000. */
  readonly maxLines?: number;
  /** How many entries of a directory one read gives. Default: 10,000. */
  readonly maxEntries?: number;
  /** Whether clients that listen are told of changes; needs the package chokidar. Default: false. */
  readonly watch?: boolean;
  readonly cache?: Partial<CacheHints>;
}

const MAX_BYTES = 8 * 1024 * 1024;
const MAX_LINES = 10_000;
const MAX_ENTRIES = 10_000;
const DIRECTORY = "inode/directory";

/**
 * Shows the files of a directory as resources: one for the directory, and a template for whatever is below it. Nothing
 * outside can be read, whatever links there are or come to be. @throws {UsageError} for options that cannot be used.
 */
export function files(directory: string, options: FilesOptions): readonly Resource[] {
  const { uri, name = uri, maxBytes = MAX_BYTES, maxLines = MAX_LINES, maxEntries = MAX_ENTRIES } = options;
  if (typeof uri !== "string" || !uri.endsWith("/") || uri.includes("{")) {
    throw new UsageError(
      "bad_option",
      `files(): uri must end with a slash, as "docs://" does, not ${JSON.stringify(uri)}.`,
    );
  }
  if (options.watch) requirePeer("chokidar", "files() with watch");
  const shown = toShown(directory, options);
  const common = {
    ...(options.description === undefined ? {} : { description: options.description }),
    ...(options.cache === undefined ? {} : { cache: options.cache }),
    ...(options.watch ? { watch: watchFiles(shown) } : {}),
  };
  const list = (found: readonly Found[]) => listing(found, maxEntries);
  return [
    defineResource({
      ...common,
      uri,
      name,
      mimeType: DIRECTORY,
      read: async () => list(await readDirectory(shown, "")),
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
      list: ({ after }) => listFiles(shown, after),
      exists: async (params) => (await readPath(shown, params.path, noContent)) !== undefined,
      read: ({ path: at, ...part }) =>
        readPath(shown, at, async (found, file, stats) => {
          if (found.isDirectory) return list(await readDirectory(shown, found.path));
          const type = (await loadTypes())(found.path);
          return contents([await readContent(file, part, { maxBytes, type, stats, path: found.path })]);
        }),
    }),
  ];
}

function noContent(): boolean {
  return true;
}

function toShown(directory: string, options: FilesOptions): Shown {
  const isIncluded = toPathTest(options.include ?? ["**"]);
  const isExcluded = toPathTest(options.exclude ?? []);
  const isHidden = (at: string): boolean => !options.hidden && /(?:^|\/)\./.test(at);
  const isOpen = (at: string): boolean => !isHidden(at) && !parents(at).some(isExcluded);
  return {
    root: new FilesRoot(resolve(directory)),
    uri: options.uri,
    showsDirectory: isOpen,
    showsFile: (at) => isOpen(at) && isIncluded(at),
  };
}

/** A path and all directories that it goes through: what is in an excluded directory is excluded. */
function parents(at: string): string[] {
  const all = [at];
  for (let slash = at.lastIndexOf("/"); slash > 0; slash = at.lastIndexOf("/", slash - 1)) {
    all.push(at.slice(0, slash));
  }
  return all;
}

/** Uses what a path leads to; undefined if that is nothing that is shown, under its own name and under its real one. */
async function readPath<Value>(
  shown: Shown,
  at: string,
  use: (found: Found, file: OpenFile, stats: BigIntStats) => Value | Promise<Value>,
): Promise<Value | undefined> {
  const opened = await shown.root.open(at);
  if (opened === undefined) return undefined;
  try {
    const stats = opened.file.stat();
    const isDirectory = stats.isDirectory();
    if (!isDirectory && !stats.isFile()) return undefined;
    const isShown = isDirectory ? shown.showsDirectory : shown.showsFile;
    if (!isShown(at) || !isShown(opened.path)) return undefined;
    return await use({ path: opened.path, uri: toUri(shown, opened.path), isDirectory }, opened.file, stats);
  } finally {
    opened.file.close();
  }
}

async function* listFiles(shown: Shown, after: string | number | undefined): AsyncGenerator<ListEntry> {
  const typeOf = await loadTypes();
  for await (const found of walk(shown, "", after === undefined ? undefined : String(after))) {
    const stats = await statOf(shown, found.path);
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

function listing(found: readonly Found[], maxEntries: number) {
  const entries = found.slice(0, maxEntries).map(({ path: at, uri, isDirectory }) => ({
    name: at.slice(at.lastIndexOf("/") + 1),
    uri,
    ...(isDirectory ? { mimeType: DIRECTORY } : {}),
  }));
  const more = found.length > entries.length;
  return contents([{ mimeType: DIRECTORY, text: JSON.stringify(entries), _meta: { "proffer/more": more } }]);
}
