import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { compileJsonSchema, type ManifestTool, type Module } from "proffer/derived";
import { createDeriver } from "../packages/cli/src/derive/deriver.ts";
import type { Derivation } from "../packages/cli/src/derive/index.ts";
import { callTool, type LoadedValue } from "./calls.ts";
import { type CaseFile, valuesOf, type ZooCase } from "./case-file.ts";
import { classify, type Observation, type Verdict } from "./classify.ts";
import { LibraryWatch } from "./library.ts";
import { findDrift, judge, writeValues } from "./oracle.ts";

export interface Examination {
  /** By the name of the case. */
  readonly verdicts: Readonly<Record<string, Verdict>>;
  /** CPU time of the first derivation in this process, and of the median edit; NaN without edits. */
  readonly cold: number;
  readonly edit: number;
  /** The bytes of all schemas. */
  readonly bytes: number;
}

/**
 * Derives the module of a case file and compares each case with its expectations.
 * @param folder - has a tsconfig.json and a package.json, and sees the installed packages
 * @param count - the number of edits to time
 * @throws {Error} if the case file itself is wrong: it does not compile, or TypeScript disagrees with an expectation.
 */
export async function examine(file: CaseFile, folder: string, count: number): Promise<Examination> {
  const entry = join(folder, "module.ts");
  const valuesFile = join(folder, "values.ts");
  writeFileSync(entry, file.module);
  const deriver = createDeriver(entry);
  const start = process.cpuUsage();
  const derivation = deriver.derive();
  const cold = cpuSince(start);
  const edits: number[] = [];
  for (let index = 1; index <= count; index++) edits.push(timeEdit(entry, `${file.module}\n// ${index}\n`, deriver));
  writeFileSync(entry, file.module);

  writeFileSync(valuesFile, writeValues(file));
  const values = valuesOf(file);
  const verdicts = judge(valuesFile, join(folder, "tsconfig.json"));
  const drift = [...verdicts.errors, ...findDrift(values, verdicts)];
  if (drift.length > 0) throw new Error(`zoo/cases/${file.name}.ts is wrong:\n${drift.join("\n")}`);

  const functions = (await import(pathToFileURL(valuesFile).href)) as Record<string, () => unknown>;
  const module = (await import(pathToFileURL(entry).href)) as Module;
  const loaded = values.map((each, index): LoadedValue => ({ ...each, create: functions[`v${index}`] ?? (() => {}) }));
  const found: [string, Verdict][] = [];
  const library = new LibraryWatch();
  await library.start();
  for (const each of file.cases) {
    const own = loaded.filter(({ of }) => of === each);
    found.push([each.name, classify(each, await observe(each, entry, derivation, module, own, library))]);
  }
  library.stop();
  rmSync(valuesFile);
  return {
    verdicts: Object.fromEntries(found),
    cold,
    edit: edits.sort((a, b) => a - b)[Math.floor(count / 2)] ?? Number.NaN,
    bytes: derivation.tools.reduce((sum, tool) => sum + schemaBytes(tool), 0),
  };
}

function timeEdit(entry: string, text: string, deriver: { derive(): Derivation }): number {
  writeFileSync(entry, text);
  const start = process.cpuUsage();
  deriver.derive();
  return cpuSince(start);
}

/** Microseconds of CPU time, which a busy machine changes less than the time. */
function cpuSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return user + system;
}

async function observe(
  { name, lines }: ZooCase,
  entry: string,
  { tools, diagnostics }: Derivation,
  module: Module,
  values: readonly LoadedValue[],
  library: LibraryWatch,
): Promise<Observation> {
  const tool = tools.find(({ binding }) => binding.path.join(".") === name);
  const [first, last] = lines;
  const found = diagnostics.flatMap(({ code, severity, message, file, line }) => {
    const isHere = file === entry && first <= line && line <= last;
    return isHere ? [{ code, severity, message, inModule: true }] : [];
  });
  if (tool === undefined) return { diagnostics: found, faults: [], isReal: false };
  const unserved = problemOf(tool);
  const shown = JSON.stringify([tool.title, tool.description, tool.inputSchema, tool.outputSchema]);
  if (unserved !== undefined) return { diagnostics: found, tool: shown, unserved, faults: [], isReal: false };
  return { diagnostics: found, tool: shown, ...(await callTool(tool, module, values, library)) };
}

/** Returns why the schemas of a tool cannot be served. */
function problemOf({ inputSchema, outputSchema = {} }: ManifestTool): string | undefined {
  try {
    for (const schema of [inputSchema, outputSchema]) compileJsonSchema(schema);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function schemaBytes({ inputSchema, outputSchema }: ManifestTool): number {
  return Buffer.byteLength(JSON.stringify(inputSchema)) + Buffer.byteLength(JSON.stringify(outputSchema ?? ""));
}
