import { appendFileSync, existsSync, lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { isObject } from "../../client/shape.ts";
import { replaceFile } from "../../install/atomic-file.ts";
import { claimFolder, readTrusted, type Trust } from "../../modules/trust.ts";
import { CALL_METHODS, CALL_STATES } from "./call-words.ts";
import type { Remembered } from "./history.ts";

/** Arguments may be private: nobody else may read them. */
const FILE_MODE = 0o600;

/** The file that keeps a history, such as `.proffer/inspector/history.jsonl` of a project: a line for each call. */
export class HistoryFile {
  readonly #path: string;
  readonly #trust: Trust;
  readonly #report: (problem: string) => void;

  /**
   * @param folder - one that the caller has claimed.
   * @param report - is told why a call could not be kept; the inspector goes on without.
   */
  constructor(folder: string, trust: Trust, report: (problem: string) => void) {
    this.#path = join(folder, "history.jsonl");
    this.#trust = trust;
    this.#report = report;
  }

  get path(): string {
    return this.#path;
  }

  /** The calls of earlier starts. A file that is damaged or not trusted is left alone. */
  read(): Remembered[] {
    if (!existsSync(this.#path)) return [];
    try {
      const lines = readTrusted(this.#path, this.#trust).toString().split("\n");
      const calls = lines.filter((line) => line !== "").map(toRemembered);
      const known = calls.filter((call) => call !== undefined);
      if (known.length < calls.length) {
        this.#report(`${calls.length - known.length} lines of ${this.#path} are damaged and were left out.`);
      }
      return known;
    } catch (error) {
      this.#report(`${this.#path} was left out: ${(error as Error).message}`);
      return [];
    }
  }

  append(line: string): void {
    this.#try(() => {
      this.#refuseLink();
      appendFileSync(this.#path, `${line}\n`, { mode: FILE_MODE });
    });
  }

  replace(lines: readonly string[]): void {
    this.#try(() => {
      claimFolder(dirname(this.#path), this.#trust);
      replaceFile(this.#path, lines.map((line) => `${line}\n`).join(""), undefined, () => true);
    });
  }

  /** A link could lead the calls to another file. */
  #refuseLink(): void {
    if (lstatSync(this.#path, { throwIfNoEntry: false })?.isSymbolicLink()) throw new Error("it is a symbolic link");
  }

  #try(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#report(`${this.#path} cannot be written: ${(error as Error).message}`);
    }
  }
}

/** Reads a line. The page relies on these members. */
function toRemembered(line: string): Remembered | undefined {
  const value = parse(line);
  if (!isObject(value) || typeof value.id !== "string" || !isObject(value.call)) return undefined;
  const { call, saved } = value;
  const isCall =
    typeof call.revision === "string" &&
    typeof call.at === "number" &&
    CALL_METHODS.includes(call.method as never) &&
    CALL_STATES.includes(call.status as never) &&
    isObject(call.params) &&
    Array.isArray(call.runs) &&
    call.runs.every(isObject) &&
    Array.isArray(call.asks) &&
    call.asks.every(isObject);
  if (!isCall) return undefined;
  return { id: value.id, call: call as never, ...(typeof saved === "string" && { saved }) };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
