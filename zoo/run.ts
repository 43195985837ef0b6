import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CaseFile, readCaseFile, type ZooCase } from "./case-file.ts";
import { isExpected, type Verdict, withRemedy } from "./classify.ts";
import type { Examination } from "./examine.ts";
import { caseFilePath, pinOf, readPins, remedyFilePath } from "./packages.ts";
import { type Cost, measureCheck, measureTsc, runWorker } from "./processes.ts";
import type { Workplace } from "./workplace.ts";

/** A case with its verdict. */
export interface CaseResult extends Verdict {
  readonly name: string;
  readonly expected: boolean;
}

/** The part of a case file in the report. */
export interface FileResult {
  readonly name: string;
  /** The packages with their versions. */
  readonly packages: readonly string[];
  /** Why the cases did not run. */
  readonly skipped?: string;
  /** Why the case file itself is wrong. */
  readonly broken?: string;
  readonly cases: readonly CaseResult[];
  /** Absent if the module could not be derived as a whole. */
  readonly figures?: Figures;
}

/** Relative costs; `tsc --noEmit` and the derivation are measured on the same module in the same run. */
export interface Figures {
  readonly tscSeconds: number;
  readonly coldToTsc: number;
  /** The same by CPU time. */
  readonly cpuToTsc: number;
  readonly editToCold: number;
  readonly memoryToTsc: number;
  readonly schemaBytes: number;
}

type Remedies = ReadonlyMap<string, Verdict>;

/** Runs the cases of a file. */
export async function runFile(name: string, workplace: Workplace): Promise<FileResult> {
  const path = caseFilePath(name);
  const file = readCaseFile(name, readFileSync(path, "utf8"));
  const pins = readPins();
  const pinned = file.packages.flatMap((each) => pinOf(each, pins) ?? []);
  const packages = pinned.map((each) => `${each} ${pins[each]}`);
  const opened = workplace.open(name);
  if ("missing" in opened) return { name, packages, skipped: opened.missing, cases: [] };
  const { folder } = opened;
  writeFileSync(join(folder, "module.ts"), file.module);
  const base = await measureTsc(folder);
  if (base === undefined) throw new Error(`tsc does not end on zoo/cases/${name}.ts.`);
  const outcome = await runWorker({ name, path, folder }, base);
  if ("error" in outcome) return { name, packages, broken: outcome.error, cases: [] };
  if ("crash" in outcome) return { name, packages, cases: await runAlone(file, path, folder, base) };
  const check = await measureCheck(folder, base);
  const remedies = await runRemedies(name, folder, base);
  if ("error" in remedies) return { name, packages, broken: remedies.error, cases: [] };
  const cases = file.cases.map((each) => toResult(each, outcome.examination.verdicts[each.name], remedies));
  return { name, packages, cases, ...(check && { figures: figuresOf(base, check, outcome.examination) }) };
}

/** Runs each case alone, to find the one that hangs or crashes. */
async function runAlone(file: CaseFile, path: string, folder: string, base: Cost): Promise<CaseResult[]> {
  const results: CaseResult[] = [];
  for (const each of file.cases) {
    const outcome = await runWorker({ name: file.name, path, folder, only: [each.name] }, base);
    if ("error" in outcome) throw new Error(outcome.error);
    if ("crash" in outcome)
      results.push(toResult(each, { status: "hang or crash", reasons: [outcome.crash], isReal: false }));
    else results.push(toResult(each, outcome.examination.verdicts[each.name]));
  }
  return results;
}

/** Runs the functions that follow the advice of refusals. @returns their verdicts, by name */
async function runRemedies(name: string, folder: string, base: Cost): Promise<Remedies | { error: string }> {
  const path = remedyFilePath(name);
  if (!existsSync(path)) return new Map();
  const outcome = await runWorker({ name, path, folder }, base);
  if ("examination" in outcome) return new Map(Object.entries(outcome.examination.verdicts));
  return { error: `zoo/remedies/${name}.ts: ${"error" in outcome ? outcome.error : outcome.crash}` };
}

function toResult(expected: ZooCase, found: Verdict | undefined, remedies?: Remedies): CaseResult {
  if (found === undefined) throw new Error(`${expected.name} has no verdict.`);
  const verdict = remedies === undefined ? found : withRemedy(found, remedies.get(expected.name));
  return { name: expected.name, ...verdict, expected: isExpected(expected, verdict) };
}

function figuresOf(base: Cost, check: Cost, { cold, edit, bytes }: Examination): Figures {
  return {
    tscSeconds: base.time / 1000,
    coldToTsc: check.time / base.time,
    cpuToTsc: check.cpu / base.cpu,
    editToCold: edit / cold,
    memoryToTsc: check.memory / base.memory,
    schemaBytes: bytes,
  };
}
