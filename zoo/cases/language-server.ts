import {
  type CodeAction,
  type CompletionItem,
  CompletionItemKind,
  type Diagnostic,
  DiagnosticSeverity,
  type DocumentSymbol,
  type Hover,
  type Range,
  type WorkspaceEdit,
} from "vscode-languageserver-types";
import { accepts, cannotReturn, refuses, returns } from "../expect.ts";

/** Lists the problems in a range. */
export async function problems(uri: string, range?: Range): Promise<Diagnostic[]> {
  throw new Error(uri + range?.start.line);
}
accepts(problems, ["file:///a"], ["file:///a", { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } }]);
refuses(problems, ["file:///a", { start: { line: 0 }, end: { line: 1, character: 0 } }], [5]);
returns(
  problems,
  [],
  [
    {
      range: { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } },
      message: "No.",
      severity: DiagnosticSeverity.Warning,
      code: 5,
      tags: [1, 2],
    },
  ],
);
cannotReturn(problems, [{ message: "No." }]);

/** Lists symbols. */
export function symbols(uri: string): DocumentSymbol[] {
  throw new Error(uri);
}
returns(symbols, [
  {
    name: "a",
    kind: 5,
    range: { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } },
    selectionRange: { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } },
    children: [],
  },
]);
cannotReturn(symbols, [{ name: "a", kind: 99 }]);

/** Applies an edit. */
export function apply(edit: WorkspaceEdit): boolean {
  return edit.changes !== undefined;
}
accepts(
  apply,
  [{}],
  [
    {
      changes: {
        "file:///a": [{ range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }, newText: "x" }],
      },
    },
  ],
  [{ documentChanges: [{ kind: "create", uri: "file:///a", options: { overwrite: true } }] }],
);
refuses(apply, [{ changes: { "file:///a": [{ newText: "x" }] } }], [{ documentChanges: [{ kind: "move", uri: "a" }] }]);

/** Completes a word. */
export function complete(prefix: string, kinds: CompletionItemKind[]): CompletionItem[] {
  throw new Error(prefix + kinds.length);
}
accepts(complete, ["a", [CompletionItemKind.Method, CompletionItemKind.Field]]);
refuses(complete, ["a", [0]], ["a", ["Method"]]);
returns(complete, [{ label: "ab", kind: CompletionItemKind.Text, data: { any: ["thing"] } }]);

/** Shows the documentation of a symbol. */
export function hover(symbol: string): Hover | null {
  throw new Error(symbol);
}
returns(
  hover,
  null,
  { contents: { kind: "markdown", value: "*Hi*" } },
  { contents: ["a", { language: "ts", value: "b" }] },
);
cannotReturn(hover, { contents: { kind: "html", value: "" } });

/** Lists fixes. */
export function fixes(only: string[] = []): CodeAction[] {
  throw new Error(only.join());
}
accepts(fixes, [], [["quickfix"]]);
returns(fixes, [{ title: "Fix", isPreferred: true, command: { title: "Run", command: "x", arguments: [1, "a"] } }]);
