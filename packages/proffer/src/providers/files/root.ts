import { constants } from "node:fs";
import { realpath } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { type OpenFile, openFile } from "./open-file.ts";

/** What was found under a root, held open. Whoever gets it closes it. */
export interface Opened {
  readonly file: OpenFile;
  /** Its real path below the root, with "/" between segments; "" for the root itself. */
  readonly path: string;
}

/** It knows where an open file is, whatever its path was. */
const LINUX = process.platform === "linux";

/** Without following a link at the end; without waiting for someone to write into a pipe. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** A directory that nothing leads out of: neither "..", nor a link, nor a link that is put there while we look. */
export class FilesRoot {
  readonly directory: string;
  readonly #outside: ((path: string) => Error) | undefined;
  #real: Promise<string> | undefined;

  /** `outside` makes the error for what leads out; without it, that looks as if nothing were there. */
  constructor(directory: string, outside?: (path: string) => Error) {
    this.directory = directory;
    this.#outside = outside;
  }

  /** Where the directory really is. Asked for again after a failure, as it may come into being later. */
  real(): Promise<string> {
    this.#real ??= realpath(this.directory).catch((error) => {
      this.#real = undefined;
      throw error;
    });
    return this.#real;
  }

  /**
   * Opens what a relative path leads to; undefined if there is nothing, or nothing below the root. The path must have
   * passed `pathProblem`. @throws what `outside` makes of a path that leads out.
   */
  async open(path: string): Promise<Opened | undefined> {
    try {
      const root = await this.real();
      const opened = await openUnder(root, join(root, path));
      if (opened === undefined && this.#outside !== undefined) throw this.#outside(path);
      return opened;
    } catch (error) {
      if (isAbsence(error)) return undefined;
      throw error;
    }
  }

  /** A path that leads to what was opened, and on Linux to nothing else, whatever happens to its name. */
  async pathOf(opened: Opened): Promise<string> {
    return LINUX ? `/proc/self/fd/${opened.file.fd}` : join(await this.real(), opened.path);
  }

  /** The real path below the root that a path leads to, without opening it; undefined if it leads out. */
  async resolve(path: string): Promise<string | undefined> {
    try {
      const root = await this.real();
      return below(root, await realpath(join(root, path)));
    } catch (error) {
      if (isAbsence(error)) return undefined;
      throw error;
    }
  }
}

/** Opens what a path leads to, unless that is not below the root. */
async function openUnder(root: string, path: string): Promise<Opened | undefined> {
  if (LINUX) {
    try {
      return await openBelow(root, path);
    } catch (error) {
      // It ends in a link, which may lead to something below the root.
      if ((error as NodeJS.ErrnoException).code !== "ELOOP") throw error;
    }
  }
  const real = await realpath(path);
  return below(root, real) === undefined ? undefined : openBelow(root, real);
}

/** Opens a path that does not end in a link, then looks where that led: a directory on the way may be a link, or become one meanwhile. */
async function openBelow(root: string, direct: string): Promise<Opened | undefined> {
  const file = await openFile(direct, FLAGS);
  try {
    const path = below(root, LINUX ? file.location() : await whereIs(file, direct));
    if (path !== undefined) return { file, path };
  } catch (error) {
    file.close();
    throw error;
  }
  file.close();
  return undefined;
}

/**
 * The path of an open file where the system does not tell it: the path is resolved again and must lead to the same file.
 * That leaves no more than a race of three steps that must all be hit.
 */
async function whereIs(file: OpenFile, real: string): Promise<string> {
  const again = await realpath(real);
  const other = await openFile(again, FLAGS);
  try {
    const [mine, its] = [file.stat(), other.stat()];
    return mine.ino === its.ino && mine.dev === its.dev ? again : "";
  } finally {
    other.close();
  }
}

/** The path below a root, with "/" between segments; undefined for one that is not below. Compares whole segments. */
function below(root: string, path: string): string | undefined {
  if (!isAbsolute(path)) return undefined;
  const rest = relative(root, path);
  if (rest === "") return "";
  if (isAbsolute(rest) || rest === ".." || rest.startsWith(`..${sep}`)) return undefined;
  return sep === "/" ? rest : rest.split(sep).join("/");
}

/** What means that there is nothing to read, and not that reading failed: no such file, a loop of links, a socket. */
const ABSENCES = new Set(["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "ENXIO", "EINVAL", "ENODEV", "EMLINK"]);

function isAbsence(error: unknown): boolean {
  return ABSENCES.has((error as NodeJS.ErrnoException).code ?? "");
}
