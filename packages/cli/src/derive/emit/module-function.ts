import { pathToFileURL } from "node:url";
import { decode, encode } from "@jridgewell/sourcemap-codec";
import ts from "typescript";
import type { EmittedFile } from "../model/description.ts";
import {
  type ModuleDraft,
  type ModuleImport,
  readExport,
  readImport,
  readSpecifier,
  rewriteReferences,
} from "./module-draft.ts";

/** A module as a function, which can run any number of times and be garbage-collected. */
export interface ModuleFunction {
  /** A CommonJS file that exports the function. */
  readonly text: string;
  readonly imports: readonly ModuleImport[];
}

const MAP_COMMENT = /\/\/# sourceMappingURL=[^\n]*\s*$/;
const EMPTY_MAP = '{ "version": 3, "names": [], "mappings": "" }';

/**
 * Converts an emitted module to a function with one argument, `m`. The module's text becomes the function's body, line
 * by line, except for module syntax: an imported name becomes a property of its namespace (`m[0]`, `m[1]`, …),
 * `import.meta` becomes `m.meta`, and `import()` becomes `m.import()`. The function first registers its exports with
 * `m.export(name, getter)` and then awaits `m.turn`; function declarations can be called before that, as in a module.
 */
export function toModuleFunction({ path, source, text, map }: EmittedFile): ModuleFunction {
  const body = text.replace(MAP_COMMENT, "");
  const draft: ModuleDraft = {
    file: ts.createSourceFile(`/${path}`, body, ts.ScriptTarget.ESNext, true, ts.ScriptKind.JS),
    argument: unusedName("m", body),
    fallback: unusedName("default", body),
    imports: [],
    references: new Map(),
    exports: new Map(),
    edits: [],
  };
  const { statements } = draft.file;
  for (const statement of statements) readSpecifier(draft, statement);
  for (const statement of statements) if (ts.isImportDeclaration(statement)) readImport(draft, statement);
  for (const statement of statements) readExport(draft, statement);
  rewriteReferences(draft);
  const start = {
    start: 0,
    end: ts.getShebang(body)?.length ?? 0,
    text: functionHeader(draft, unusedName("file", body)),
  };
  const edits = [start, ...draft.edits];
  const { mappings, ...rest } = JSON.parse(map ?? EMPTY_MAP);
  const moved = { ...rest, sources: [pathToFileURL(source).href], mappings: spliceMappings(mappings, body, edits) };
  const data = Buffer.from(JSON.stringify(moved)).toString("base64");
  return {
    text: `${splice(body, edits)}\n})(module)();\n//# sourceMappingURL=data:application/json;base64,${data}\n`,
    imports: draft.imports,
  };
}

/**
 * Returns the code before the body, on its first line. It shadows the names of CommonJS, which do not exist in a
 * module. Node keeps the source map of a file as long as its `module` is reachable, so the author's functions keep a
 * reference to it in their scope.
 */
function functionHeader({ argument, exports }: ModuleDraft, file: string): string {
  const exported = [...exports].map(([name, value]) => `${argument}.export(${JSON.stringify(name)}, () => ${value});`);
  return [
    `module.exports = ((${file}) => (exports, require, module, __filename, __dirname) => async function (${argument}) {`,
    `"use strict"; ${argument}.file = ${file};`,
    ...exported,
    `await ${argument}.turn; `,
  ].join(" ");
}

function unusedName(name: string, text: string): string {
  let unused = `${name}$`;
  while (text.includes(unused)) unused += "$";
  return unused;
}

/** A replacement in a text. It must keep the number of lines. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Drops a mapping directly after the edit, so the following code maps to the replaced text. */
  readonly covers?: boolean;
}

/** Applies non-overlapping edits to a text. */
export function splice(text: string, edits: readonly Edit[]): string {
  let result = "";
  let at = 0;
  for (const edit of inOrder(edits)) {
    result += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return result + text.slice(at);
}

/** Adjusts the mappings of a source map to an edited text: an edit moves the rest of its line. */
export function spliceMappings(mappings: string, text: string, edits: readonly Edit[]): string {
  const lines = decode(mappings);
  const starts = lineStarts(text);
  for (const { start, end, text: inserted, covers } of inOrder(edits).reverse()) {
    const by = inserted.length - (end - start);
    const line = lineOf(starts, start);
    const segments = lines[line];
    if (by === 0 || segments === undefined) continue;
    const column = end - (starts[line] ?? 0);
    const kept = segments.filter((segment) => !covers || segment[0] !== column);
    for (const segment of kept) if (segment[0] >= column) segment[0] += by;
    lines[line] = kept;
  }
  return encode(lines);
}

function inOrder(edits: readonly Edit[]): Edit[] {
  return [...edits].sort((a, b) => a.start - b.start);
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function lineOf(starts: readonly number[], position: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}
