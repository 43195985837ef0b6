import ts from "typescript";
import { ORACLE_PRELUDE } from "./text.ts";

/** Whether TypeScript can assign the type `value` to the type alias `to` of the declarations. */
export interface Question {
  readonly to: string;
  readonly value: string;
}

const FILE = "/oracle.ts";
const OPTIONS: ts.CompilerOptions = {
  strict: true,
  target: ts.ScriptTarget.ES2022,
  lib: ["lib.es2022.d.ts"],
  types: [],
};

/** Asks TypeScript many questions in one program, because creating one takes longer than many questions. */
export interface Oracle {
  /** @throws if the declarations or the values have an error. */
  ask(declarations: readonly string[], questions: readonly Question[]): boolean[];
}

/** Creates an oracle. It parses the compiler's own declarations once. */
export function createOracle(): Oracle {
  const host = ts.createCompilerHost(OPTIONS);
  const parsed = new Map<string, ts.SourceFile | undefined>();

  return {
    ask(declarations, questions) {
      const values = questions.map(({ value }, index) => `type V${index} = ${value};`);
      const text = [ORACLE_PRELUDE, ...declarations, ...values, "export {};"].join("\n");
      const source = ts.createSourceFile(FILE, text, ts.ScriptTarget.ES2022);
      const program = ts.createProgram([FILE], OPTIONS, {
        ...host,
        getSourceFile(file, options) {
          if (file === FILE) return source;
          if (!parsed.has(file)) parsed.set(file, host.getSourceFile(file, options));
          return parsed.get(file);
        },
      });
      const [error] = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
      if (error) throw new Error(`The oracle's types have an error: ${describe(error)}`);
      const checker = program.getTypeChecker();
      const types = new Map<string, ts.Type>();
      for (const statement of source.statements) {
        if (ts.isTypeAliasDeclaration(statement)) types.set(statement.name.text, checker.getTypeAtLocation(statement));
      }
      return questions.map(({ to }, index) => {
        const [value, target] = [types.get(`V${index}`), types.get(to)];
        if (value === undefined || target === undefined) throw new Error(`The oracle has no type ${to}.`);
        return checker.isTypeAssignableTo(value, target);
      });
    },
  };
}

function describe({ messageText, file, start = 0 }: ts.Diagnostic): string {
  const line = file?.text.slice(0, start).split("\n").length ?? 0;
  return `${ts.flattenDiagnosticMessageText(messageText, "\n")} In: ${file?.text.split("\n")[line - 1]}`;
}
