import { dirname } from "node:path";
import ts from "typescript";
import { type CaseFile, type ListName, valuesOf, type ZooValue } from "./case-file.ts";

/** Writes the module that has each value as a function, typed as the case's parameters or result. */
export function writeValues(file: CaseFile): string {
  const functions = valuesOf(file).map(({ of, list, text }, index) => {
    const target = `typeof module.${of.name}`;
    const [parameters, result] = [`Parameters<${target}>`, `Awaited<ReturnType<${target}>>`];
    const types: Record<ListName, string> = {
      accepts: parameters,
      refuses: parameters,
      returns: result,
      cannotReturn: result,
      gives: `[${parameters}, unknown?]`,
      fails: `[${parameters}, ...string[]]`,
    };
    const type = types[list];
    return `export const v${index} = (): ${type} => (${text});`;
  });
  return [...file.imports, 'import * as module from "./module.ts";', ...functions, ""].join("\n");
}

/** The verdict of TypeScript about a values module. */
export interface Verdicts {
  /** By the index of the value: why it is not assignable. */
  readonly reasons: ReadonlyMap<number, string>;
  /** Errors that are not about a value: the case file itself is wrong. */
  readonly errors: readonly string[];
}

/** Asks TypeScript which values are assignable. */
export function judge(valuesFile: string, configFile: string): Verdicts {
  const config = ts.readConfigFile(configFile, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, dirname(configFile));
  const program = ts.createProgram([valuesFile], options);
  const values = program.getSourceFile(valuesFile);
  if (values === undefined) throw new Error(`${valuesFile} does not exist.`);
  const ranges = values.statements.filter(ts.isVariableStatement);
  const reasons = new Map<number, string>();
  const errors: string[] = [];
  const own = program.getSourceFiles().filter((file) => dirname(file.fileName) === dirname(valuesFile));
  for (const file of own) {
    for (const found of [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]) {
      const { start = 0, messageText } = found;
      const text = ts.flattenDiagnosticMessageText(messageText, "\n");
      const index = file === values ? ranges.findIndex((range) => range.pos <= start && start < range.end) : -1;
      if (index >= 0) reasons.set(index, text);
      else errors.push(`${file.fileName}:${file.getLineAndCharacterOfPosition(start).line + 1}: ${text}`);
    }
  }
  return { reasons, errors };
}

/** Compares the expectations with TypeScript's verdicts; returns the values whose expectation is wrong. */
export function findDrift(values: readonly ZooValue[], { reasons }: Verdicts): string[] {
  return values.flatMap(({ of, list, text }, index) => {
    const isMeant = list !== "refuses" && list !== "cannotReturn";
    const reason = reasons.get(index);
    if (isMeant === (reason === undefined)) return [];
    return [`${of.name}: ${list} ${text}: TypeScript says: ${reason ?? "assignable"}`];
  });
}
