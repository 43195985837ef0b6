import type { BigIntStats } from "node:fs";
import { resolve } from "node:path";
import type { CacheHints } from "../../protocol/model.ts";
import { defineResource, type Resource } from "../../resources/define.ts";
import type { ListEntry } from "../../resources/list.ts";
import { integer, path, pathProblem } from "../../resources/param-kinds.ts";
import type { Watch } from "../../resources/watch.ts";
import { contents } from "../../results/content.ts";
import { requirePeer } from "../../support/peer.ts";
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
import { readContent } from "./read.ts";
import { FilesRoot, type OpenFile } from "./root.ts";
import { loadTypes } from "./types.ts";
import { watchDirectory } from "./watch.ts";

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
    throw new UsageError(`files(): uri must end with a slash, such as "docs://", not ${JSON.stringify(uri)}.`);
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
      exists: async (params) => (await readPath(visible, params.path, () => true)) !== undefined,
      read: ({ path: at, ...part }, reader) =>
        readPath(visible, at, async (found, file, stats) => {
          if (found.isDirectory) return list(found.path);
          const type = (await loadTypes())(found.path);
          return contents([await readContent(file, part, { maxBytes, type, stats, path: found.path, reader })]);
        }),
    }),
  ];
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
function readPath<Value>(
  visible: VisibleFiles,
  at: string,
  use: (found: FoundFile, file: OpenFile, stats: BigIntStats) => Value | Promise<Value>,
): Promise<Value | undefined> {
  return visible.root.use(at, (opened, stats) => {
    const isDirectory = stats.isDirectory();
    if (!isDirectory && !stats.isFile()) return undefined;
    const isVisible = isDirectory ? visible.showsDirectory : visible.showsFile;
    if (!isVisible(at) || !isVisible(opened.path)) return undefined;
    return use({ path: opened.path, isDirectory }, opened.file, stats);
  });
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

/**
 * Compiles globs to a test of relative paths: `*` and `?` match within a segment, `**` matches any number of segments. A glob without a
 * slash matches the last segment in any directory. Matching never backtracks past the last star, so that a hostile name
 * cannot make it slow.
 */
export function toPathTest(globs: readonly string[]): (path: string) => boolean {
  const patterns = globs.map(toSegments);
  return (path) => {
    const segments = path.split("/");
    return patterns.some((pattern) => matchSegments(pattern, segments));
  };
}

function toSegments(glob: string): readonly string[] {
  if (typeof glob !== "string" || glob === "" || glob.startsWith("/") || glob.includes("\\")) {
    throw new UsageError(`Invalid glob ${JSON.stringify(glob)}: expected a relative path such as "**/*.md".`);
  }
  if (/[[\]{}!()]/.test(glob)) {
    throw new UsageError(
      `Invalid glob ${JSON.stringify(glob)}: only *, ** and ? are supported. Instead of {a,b}, write two globs.`,
    );
  }
  const segments = glob.split("/");
  return segments.length === 1 ? ["**", ...segments] : segments;
}

function matchSegments(pattern: readonly string[], segments: readonly string[]): boolean {
  return matchList(pattern.length, segments.length, {
    isStar: (at) => pattern[at] === "**",
    matches: (at, to) => matchText(pattern[at] ?? "", segments[to] ?? ""),
  });
}

function matchText(pattern: string, text: string): boolean {
  return matchList(pattern.length, text.length, {
    isStar: (at) => pattern[at] === "*",
    matches: (at, to) => pattern[at] === "?" || pattern[at] === text[to],
  });
}

interface Items {
  isStar(at: number): boolean;
  matches(at: number, to: number): boolean;
}

/** Matches a sequence with stars that match any number of items: after a mismatch, only the last star is extended. */
function matchList(patternLength: number, length: number, items: Items): boolean {
  let at = 0;
  let to = 0;
  let star = -1;
  let taken = 0;
  while (to < length) {
    if (at < patternLength && items.isStar(at)) {
      star = at++;
      taken = to;
    } else if (at < patternLength && items.matches(at, to)) {
      at++;
      to++;
    } else if (star !== -1) {
      at = star + 1;
      to = ++taken;
    } else {
      return false;
    }
  }
  while (at < patternLength && items.isStar(at)) at++;
  return at === patternLength;
}
