// The process that examines one case file, so that a hang or a crash ends only this file.
import { readFileSync } from "node:fs";
import { readCaseFile } from "./case-file.ts";
import { examine } from "./examine.ts";

/** The number of edits that are timed. */
const EDITS = 3;

/** The work of a worker, as JSON in its first argument. */
export interface Work {
  readonly name: string;
  readonly path: string;
  readonly folder: string;
  readonly only?: readonly string[];
}

export async function runWorker(): Promise<void> {
  const { name, path, folder, only }: Work = JSON.parse(process.argv[2] ?? "");
  const report = await examine(readCaseFile(name, readFileSync(path, "utf8"), only), folder, EDITS).then(
    (examination) => ({ examination }),
    (error: Error) => ({ error: error.message }),
  );
  await new Promise((resolve) => process.send?.(report, resolve));
  // A package may keep a socket or a timer.
  process.exit();
}
