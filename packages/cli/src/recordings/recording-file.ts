import { appendFileSync, closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, extname, join } from "node:path";
import type { Lane, Target } from "@proffer/inspector";
import { claimCacheRoot } from "../modules/cache.ts";
import { digestOf } from "../modules/inputs.ts";
import { findProject } from "../modules/module-file.ts";
import { claimFolder, currentTrust, PRIVATE_MODE, type Trust, userFolder } from "../modules/trust.ts";
import { CommandError } from "../terminal/command-error.ts";
import type { WireRecord } from "./record.ts";
import { createHeader, MAX_RECORDING_BYTES } from "./recording.ts";

/** Messages may be private: nobody else may read them. */
const FILE_MODE = 0o600;
const MAX_NUMBER = 1000;

/** A recording that grows with each message, so that a crash loses nothing. */
export class RecordingFile {
  readonly path: string;
  readonly #fd: number;
  readonly #report: (problem: string) => void;
  readonly #maxBytes: number;
  #bytes = 0;
  #isOpen = true;

  /**
   * Creates a file; if there is one, with a number in its name, because a client may have started the command again after
   * a crash that somebody wants to look at.
   * @param report - receives the reason why the recording has stopped.
   * @throws {CommandError} if it cannot be created.
   */
  constructor(path: string, target: Target, report: (problem: string) => void, maxBytes = MAX_RECORDING_BYTES) {
    this.#maxBytes = maxBytes;
    ({ path: this.path, fd: this.#fd } = create(path));
    this.#report = report;
    this.#append(createHeader({ target, revisions: [], lanes: [] }));
  }

  /** Writes the messages that are added to a record from now on. */
  follow(record: WireRecord): void {
    let known = "";
    record.observe({
      lane: ({ open: _, ...lane }) => {
        // Only the facts about a lane, not that it ends: the recording ends, too.
        const text = JSON.stringify(lane);
        if (text !== known) this.#append({ lane: { ...lane, open: false } satisfies Lane });
        known = text;
      },
      line: ({ n }) => this.#append(record.get(n) ?? {}),
    });
  }

  #append(line: object): void {
    if (!this.#isOpen) return;
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    this.#bytes += bytes.length;
    if (this.#bytes > this.#maxBytes) {
      this.#stop(`it may have ${this.#maxBytes} bytes`);
      return;
    }
    try {
      appendFileSync(this.#fd, bytes);
    } catch (error) {
      this.#stop((error as Error).message);
    }
  }

  #stop(reason: string): void {
    this.#isOpen = false;
    closeSync(this.#fd);
    this.#report(`The recording ${this.path} stops here: ${reason}.`);
  }
}

/** Never through a link, and never over a file that exists. */
function create(wanted: string): { readonly path: string; readonly fd: number } {
  const extension = extname(wanted);
  const name = wanted.slice(0, wanted.length - extension.length);
  for (let number = 1; ; number++) {
    const path = number === 1 ? wanted : `${name}-${number}${extension}`;
    try {
      return { path, fd: openSync(path, "wx", FILE_MODE) };
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === "EEXIST" && number < MAX_NUMBER) continue;
      throw new CommandError(`The recording cannot be written: ${message}. Name another file with --record.`);
    }
  }
}

const NAME = /^tap-.*\.jsonl$/;
/** A client may start its servers several times a day, for months. */
const MAX_KEPT = 20;

/**
 * Returns the path of a new recording: in `.proffer/inspector` of the project that the current directory belongs to, or
 * else, or if somebody else could read it there, in a private temporary folder.
 */
export function pathForRecording(now = new Date()): string {
  const name = `tap-${now.toISOString().replace(/[:.]/g, "-")}.jsonl`;
  return join(projectFolder(process.cwd()) ?? mkdtempSync(join(tmpdir(), "proffer-tap-")), name);
}

function projectFolder(directory: string): string | undefined {
  const project = findProject(join(directory, "any"));
  if (!existsSync(join(project, "package.json"))) return undefined;
  try {
    const folder = claimInspectorFolder(project, currentTrust());
    // The names sort by time.
    const names = readdirSync(folder)
      .filter((name) => NAME.test(name))
      .sort();
    for (const name of names.slice(0, -(MAX_KEPT - 1))) rmSync(join(folder, name));
    return folder;
  } catch {
    // Not trusted, or not writable.
    return undefined;
  }
}

/**
 * Creates the folder of the inspector in a project, `.proffer/inspector`, and returns its path.
 * @throws {UntrustedError} if somebody else could have written the folder. @throws if it is not writable.
 */
export function claimInspectorFolder(project: string, trust: Trust): string {
  const folder = join(claimCacheRoot(project, trust), "inspector");
  claimFolder(folder, trust, PRIVATE_MODE);
  return folder;
}

/**
 * Creates the folder of a target without a project among the user's settings, and returns its path. Its name is a digest:
 * an address or a command may hold a secret.
 * @throws {UntrustedError} if somebody else could have written the folder. @throws if it is not writable, or without a home.
 */
export function claimTargetFolder(target: string | readonly string[], trust: Trust): string {
  const root = userFolder();
  if (root === undefined) throw new Error("There is no home folder.");
  const folder = join(root, "inspector");
  const own = join(folder, digestOf(JSON.stringify(target)).slice(0, 16));
  mkdirSync(dirname(root), { recursive: true, mode: PRIVATE_MODE });
  for (const each of [root, folder, own]) claimFolder(each, trust, PRIVATE_MODE);
  return own;
}
