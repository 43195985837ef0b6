import fs, { type BigIntStats, constants } from "node:fs";
import { realpath } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { InvalidParams, type RpcError } from "../../protocol/errors.ts";
import { pathProblem } from "../../resources/param-kinds.ts";
import { Directories, type VisibleFiles } from "./directories.ts";
import { readBytes } from "./read.ts";

/** Options for `confine`. */
export interface ConfineOptions {
  /** Maximum size of a file in bytes. Default: 8 MiB. */
  readonly maxBytes?: number;
  /** Creates the error for a link that leads outside. Default: the file does not exist. */
  readonly outside?: (path: string) => RpcError;
}

/** A file or directory in a confined directory. */
export interface ConfinedEntry {
  readonly name: string;
  readonly isDirectory: boolean;
}

/** Access to the files of one directory, and to nothing outside it. An unsafe path throws `InvalidParams`. */
export interface ConfinedDirectory {
  /** Reads a file as bytes; undefined if it does not exist. @throws {InvalidParams} if it is too large. */
  bytes(path: string): Promise<Uint8Array | undefined>;
  /** Reads a file as UTF-8 text; undefined if it does not exist. @throws {InvalidParams} if it is too large. */
  text(path: string): Promise<string | undefined>;
  /** Whether the file exists. */
  has(path: string): Promise<boolean>;
  /**
   * Lists the directory, or a directory below it, sorted by name; empty if it does not exist. Links are listed only if
   * they lead to files inside.
   */
  entries(path?: string): Promise<readonly ConfinedEntry[]>;
}

const MAX_BYTES = 8 * 1024 * 1024;

/**
 * Opens a directory for your own handlers with the same confinement as `files`: neither "..", nor an absolute
 * path, nor a symbolic link leads outside. Use it for paths that contain client input.
 *
 * @example
 * const scenarios = confine("/srv/scenarios");
 *
 * defineResource({
 *   uri: "scenarios://{name}",
 *   name: "Scenario",
 *   read: ({ name }) => scenarios.text(`${name}.lua`), // undefined (not found) if there is no such file
 * });
 */
export function confine(directory: string, options: ConfineOptions = {}): ConfinedDirectory {
  const { maxBytes = MAX_BYTES, outside } = options;
  const root = new FilesRoot(resolve(directory), outside);
  const visible: VisibleFiles = { root, uri: "", showsFile: () => true, showsDirectory: () => true };
  const directories = new Directories(visible);

  /** Runs `work` with the open file; undefined if it does not exist. */
  async function withFile<Value>(path: string, work: (file: OpenFile, size: number) => Value | Promise<Value>) {
    checkPath(path);
    return root.use(path, ({ file }, stats) => (stats.isFile() ? work(file, Number(stats.size)) : undefined));
  }

  function bytes(path: string): Promise<Buffer | undefined> {
    return withFile(path, (file, size) => {
      if (size <= maxBytes) return readBytes(file, 0, size);
      throw new InvalidParams(`${JSON.stringify(path)} has ${size} bytes; the limit is ${maxBytes}.`);
    });
  }

  return {
    bytes,
    text: async (path) => (await bytes(path))?.toString("utf8"),
    has: async (path) => (await withFile(path, () => true)) ?? false,
    async entries(path = "") {
      if (path !== "") checkPath(path);
      const { entries } = await directories.readVisible(path);
      return entries
        .map((each) => ({ name: each.path.slice(each.path.lastIndexOf("/") + 1), isDirectory: each.isDirectory }))
        .sort((a, b) => (a.name < b.name ? -1 : 1));
    },
  };
}

function checkPath(path: string): void {
  const problem = pathProblem(path);
  if (problem !== undefined) throw new InvalidParams(`The path ${JSON.stringify(path)} ${problem}.`);
}

/** An open file under a root. The caller closes it. */
interface Opened {
  readonly file: OpenFile;
  /** Its real path relative to the root, with "/" as separator; "" for the root itself. */
  readonly path: string;
}

/** Linux reports the path of an open file in /proc/self/fd. */
const LINUX = process.platform === "linux";

/** O_NOFOLLOW: do not follow a link at the end of the path. O_NONBLOCK: do not wait for the writer of a pipe. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** A directory that no path escapes: neither by "..", nor by a link, nor by a link created during the check. */
export class FilesRoot {
  readonly directory: string;
  readonly #outside: ((path: string) => Error) | undefined;
  #real: Promise<string> | undefined;

  /** `outside` creates the error for a path that leads outside; without it, the file does not exist. */
  constructor(directory: string, outside?: (path: string) => Error) {
    this.directory = directory;
    this.#outside = outside;
  }

  /** The real path of the directory, cached. Retried after a failure, because the directory may be created later. */
  real(): Promise<string> {
    this.#real ??= realpath(this.directory).catch((error) => {
      this.#real = undefined;
      throw error;
    });
    return this.#real;
  }

  /**
   * Opens a relative path; undefined if it does not exist or leads outside. The path must have passed `pathProblem`.
   * @throws the error of `outside` for a path that leads outside.
   */
  async open(path: string): Promise<Opened | undefined> {
    try {
      const root = await this.real();
      const opened = await openUnder(root, join(root, path));
      if (opened === undefined && this.#outside !== undefined) throw this.#outside(path);
      return opened;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Runs `work` with an open file or directory, which it closes; undefined if `open` returns that. */
  async use<Value>(
    path: string,
    work: (opened: Opened, stats: BigIntStats) => Value | Promise<Value>,
  ): Promise<Value | undefined> {
    const opened = await this.open(path);
    if (opened === undefined) return undefined;
    try {
      return await work(opened, opened.file.stat());
    } finally {
      opened.file.close();
    }
  }

  /** Returns a path to the open file. On Linux it stays valid even if the file is renamed or replaced. */
  async pathOf(opened: Opened): Promise<string> {
    return LINUX ? `/proc/self/fd/${opened.file.fd}` : join(await this.real(), opened.path);
  }

  /** Resolves a path to its real path relative to the root, without opening it; undefined if it leads outside. */
  async resolve(path: string): Promise<string | undefined> {
    try {
      const root = await this.real();
      return below(root, await realpath(join(root, path)));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}

/** Opens a path, following links that stay below the root. */
async function openUnder(root: string, path: string): Promise<Opened | undefined> {
  if (LINUX) {
    try {
      return await openBelow(root, path);
    } catch (error) {
      // The path ends in a link, which may lead to a file below the root.
      if ((error as NodeJS.ErrnoException).code !== "ELOOP") throw error;
    }
  }
  const real = await realpath(path);
  return below(root, real) === undefined ? undefined : openBelow(root, real);
}

/**
 * Opens a path that does not end in a link, then checks the location of the open file: a parent directory may be a
 * link, or may be replaced by one meanwhile.
 */
async function openBelow(root: string, direct: string): Promise<Opened | undefined> {
  const file = await openFile(direct, FLAGS);
  try {
    const path = below(root, LINUX ? file.location() : await locate(file, direct));
    if (path !== undefined) return { file, path };
  } catch (error) {
    file.close();
    throw error;
  }
  file.close();
  return undefined;
}

/**
 * Finds the path of an open file on systems other than Linux: resolves the path again and checks that it leads to the
 * same file. An attacker would have to win a race of three steps.
 */
async function locate(file: OpenFile, real: string): Promise<string> {
  const again = await realpath(real);
  const other = await openFile(again, FLAGS);
  try {
    const [mine, its] = [file.stat(), other.stat()];
    return mine.ino === its.ino && mine.dev === its.dev ? again : "";
  } finally {
    other.close();
  }
}

/** Returns the path relative to the root, with "/" as separator; undefined if outside. Compares whole segments. */
function below(root: string, path: string): string | undefined {
  if (!isAbsolute(path)) return undefined;
  const rest = relative(root, path);
  if (rest === "") return "";
  if (isAbsolute(rest) || rest === ".." || rest.startsWith(`..${sep}`)) return undefined;
  return sep === "/" ? rest : rest.split(sep).join("/");
}

/** Error codes that mean that there is no file to read, such as a missing file, a loop of links or a socket. */
const NOT_FOUND_CODES = new Set(["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "ENXIO", "EINVAL", "ENODEV", "EMLINK"]);

function isNotFound(error: unknown): boolean {
  return NOT_FOUND_CODES.has((error as NodeJS.ErrnoException).code ?? "");
}

const CHUNK = 64 * 1024;

/**
 * An open file. The caller closes it. Only `open` and `read`, which may wait for a disk, run in the thread pool: the
 * metadata of a file that was just opened is in memory, and a synchronous call is cheaper than the thread pool.
 */
export class OpenFile {
  readonly fd: number;

  constructor(fd: number) {
    this.fd = fd;
  }

  stat(): BigIntStats {
    return fs.fstatSync(this.fd, { bigint: true });
  }

  /** Reads up to `length` bytes from `position` into a buffer. Returns the number of bytes read. */
  read(into: Buffer, at: number, length: number, position: number): Promise<number> {
    return new Promise((resolve, reject) => {
      fs.read(this.fd, into, at, length, position, (error, count) => (error ? reject(error) : resolve(count)));
    });
  }

  /** The current path of the open file. Linux only. */
  location(): string {
    return fs.readlinkSync(`/proc/self/fd/${this.fd}`);
  }

  /** Yields the file from a position on in chunks. */
  async *chunks(from = 0): AsyncGenerator<Buffer> {
    for (let position = from; ; ) {
      const chunk = Buffer.allocUnsafe(CHUNK);
      const count = await this.read(chunk, 0, CHUNK, position);
      if (count === 0) return;
      yield chunk.subarray(0, count);
      position += count;
    }
  }

  close(): void {
    fs.closeSync(this.fd);
  }
}

/** Opens a file with the given flags of `open(2)`. */
export function openFile(path: string, flags: number = fs.constants.O_RDONLY): Promise<OpenFile> {
  return new Promise((resolve, reject) => {
    fs.open(path, flags, (error, fd) => (error ? reject(error) : resolve(new OpenFile(fd))));
  });
}
