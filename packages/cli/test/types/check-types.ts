import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("../../../../", import.meta.url));

/** Checks modules as `tsc` does, in one program with the sources of Proffer. Returns the errors with their lines. */
export function checkTypes(...files: string[]): string[] {
  const program = ts.createProgram(files, {
    ...ts.readConfigFile(`${root}tsconfig.base.json`, ts.sys.readFile).config.compilerOptions,
    target: ts.ScriptTarget.ES2022,
    lib: ["lib.es2023.d.ts", "lib.esnext.disposable.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    allowImportingTsExtensions: true,
    noEmit: true,
    noUnusedLocals: false,
    // Written interfaces are declaration files.
    skipLibCheck: false,
    types: ["node"],
    typeRoots: [`${root}node_modules/@types`],
    paths: {
      proffer: [`${root}packages/proffer/src/index.ts`],
      "proffer/*": [`${root}packages/proffer/src/*.ts`],
      "@proffer/cli": [`${root}packages/cli/src/index.ts`],
    },
  });
  return files.flatMap((file) => {
    const source = program.getSourceFile(file);
    const problems = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return problems.map(({ start = 0, messageText }) => {
      const line = (source?.getLineAndCharacterOfPosition(start).line ?? 0) + 1;
      return `${file.slice(dirname(file).length + 1)}:${line} ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
    });
  });
}
