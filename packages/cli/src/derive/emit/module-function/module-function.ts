import { pathToFileURL } from "node:url";
import ts from "typescript";
import type { EmittedFile } from "../../model/description.ts";
import { type ModuleDraft, type ModuleImport, readExport, readImport, readSpecifier } from "./module-draft.ts";
import { rewriteReferences } from "./references.ts";
import { splice, spliceMappings } from "./splice.ts";

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
  return {
    text: `${splice(body, edits)}\n})(module)();\n//# sourceMappingURL=${toDataUrl(moved)}\n`,
    imports: draft.imports,
  };
}

function toDataUrl(map: object): string {
  return `data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString("base64")}`;
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
