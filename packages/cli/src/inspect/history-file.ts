import { appendFileSync, existsSync, lstatSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import type { CallState, HistoryStore, Remembered } from "@proffer/inspector";
import { replaceFile } from "../install/atomic-file.ts";
import { digestOf } from "../modules/inputs.ts";
import { findProject } from "../modules/module-file.ts";
import { claimFolder, currentTrust, PRIVATE_MODE, readTrusted, type Trust } from "../modules/trust.ts";
import { claimInspectorFolder, claimTargetFolder } from "../recordings/recording-file.ts";
import { CALL_METHODS } from "../recordings/saved-call.ts";
import { CommandError } from "../terminal/command-error.ts";
import { isObject, parseJson } from "../terminal/json.ts";

/** Arguments may be private: nobody else may read them. */
const FILE_MODE = 0o600;
const STATES: readonly CallState["status"][] = ["running", "asks", "done", "failed", "canceled"];

/**
 * Opens the history of a module. Arguments are private: in a folder that others can write, or that cannot be written, they
 * stay in memory.
 * @param report - receives the reasons why calls are not kept; the inspector goes on without.
 */
export function openHistory(module: string, report: (problem: string) => void): HistoryFile | undefined {
  try {
    const trust = currentTrust();
    const project = findProject(module);
    // Two modules of a project have different tools.
    const id = digestOf(relative(project, resolve(module))).slice(0, 8);
    return new HistoryFile(claimInspectorFolder(project, trust), trust, report, `history-${basename(module)}-${id}`);
  } catch (error) {
    report(`The history is not kept: ${(error as Error).message}`);
    return undefined;
  }
}

/**
 * Opens the history of a target without a project, in the user's own folder.
 * @param target - a URL, or a command.
 * @throws {CommandError} if there is no folder for it that only the user can write.
 */
export function openKeptHistory(target: string | readonly string[], report: (problem: string) => void): HistoryFile {
  try {
    const trust = currentTrust();
    return new HistoryFile(claimTargetFolder(target, trust), trust, report);
  } catch (error) {
    throw new CommandError(`--keep cannot keep the history: ${(error as Error).message}`, { cause: error });
  }
}

/** The file that keeps a history, such as `.proffer/inspector/history-shop.ts-….jsonl` of a module: a line for each call. */
export class HistoryFile implements HistoryStore {
  readonly path: string;
  readonly #trust: Trust;
  readonly #report: (problem: string) => void;

  /** @param folder - one that the caller has claimed. */
  constructor(folder: string, trust: Trust, report: (problem: string) => void, name = "history") {
    this.path = join(folder, `${name}.jsonl`);
    this.#trust = trust;
    this.#report = report;
  }

  /** The calls of earlier starts. A file that is damaged or not trusted is left alone. */
  read(): Remembered[] {
    if (!existsSync(this.path)) return [];
    try {
      const lines = readTrusted(this.path, this.#trust).toString().split("\n");
      const calls = lines.filter((line) => line !== "").map(toRemembered);
      const known = calls.filter((call) => call !== undefined);
      if (known.length < calls.length) {
        this.#report(`${calls.length - known.length} lines of ${this.path} are damaged and were left out.`);
      }
      return known;
    } catch (error) {
      this.#report(`${this.path} was left out: ${(error as Error).message}`);
      return [];
    }
  }

  append(line: string): void {
    this.#try(() => {
      // A link could lead the calls to another file.
      if (lstatSync(this.path, { throwIfNoEntry: false })?.isSymbolicLink()) throw new Error("it is a symbolic link");
      appendFileSync(this.path, `${line}\n`, { mode: FILE_MODE });
    });
  }

  replace(lines: readonly string[]): void {
    this.#try(() => {
      claimFolder(dirname(this.path), this.#trust, PRIVATE_MODE);
      replaceFile(this.path, lines.map((line) => `${line}\n`).join(""), undefined, () => true);
    });
  }

  #try(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#report(`${this.path} cannot be written: ${(error as Error).message}`);
    }
  }
}

/** Reads a line. The page relies on these members. */
function toRemembered(line: string): Remembered | undefined {
  const value = parseJson(line);
  if (!isObject(value) || typeof value.id !== "string" || !isObject(value.call)) return undefined;
  const { call, saved } = value;
  const isCall =
    typeof call.revision === "string" &&
    typeof call.at === "number" &&
    CALL_METHODS.includes(call.method as never) &&
    STATES.includes(call.status as never) &&
    isObject(call.params) &&
    Array.isArray(call.runs) &&
    call.runs.every(isObject) &&
    Array.isArray(call.asks) &&
    call.asks.every(isObject);
  if (!isCall) return undefined;
  return { id: value.id, call: call as never, ...(typeof saved === "string" && { saved }) };
}
