import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { documents, root, runSnippet, source, useSnippets } from "./docs-snippets.ts";

// Every `ts` snippet of the README and the guides compiles in strict mode; and those of these pages run, exit without
// help, and print what their comments show.
const RUN = ["README.md", "docs/resources.md", "docs/providers.md"];

const { folder, snippets } = useSnippets();

describe("the snippets of the documentation", () => {
  it("exist, and all are marked as ts", () => {
    expect(snippets.length).toBeGreaterThan(10);
    for (const document of documents) {
      expect([document, readFileSync(join(root, document), "utf8").match(/^```(ts .*|typescript)$/gm)]).toEqual([
        document,
        null,
      ]);
    }
  });

  it("compile", () => {
    const { config } = ts.readConfigFile(join(root, "tsconfig.base.json"), ts.sys.readFile);
    const paths = { proffer: [join(source, "index.ts")], "proffer/*": [join(source, "*.ts")] };
    // Authors may use enums; Proffer's own sources do not.
    const theirs = { types: ["node"], paths, noUnusedLocals: false, erasableSyntaxOnly: false };
    const { options } = ts.parseJsonConfigFileContent(
      { compilerOptions: { ...config.compilerOptions, ...theirs } },
      ts.sys,
      folder,
    );
    const program = ts.createProgram(
      snippets.map(({ path }) => path),
      options,
    );
    const problems = snippets.flatMap(({ path, place }) =>
      program.getSemanticDiagnostics(program.getSourceFile(path)).map((problem) => {
        const line = (problem.file?.getLineAndCharacterOfPosition(problem.start ?? 0).line ?? 0) + 1;
        return `${place}+${line}: ${ts.flattenDiagnosticMessageText(problem.messageText, "\n")}`;
      }),
    );
    expect(problems).toEqual([]);
  });

  it.concurrent.each(snippets.filter(({ place }) => RUN.includes(place.split(":", 1)[0] ?? "")))(
    "run: $place",
    (snippet) => runSnippet(snippet, folder),
  );
});
