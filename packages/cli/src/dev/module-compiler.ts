import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { RunnableFile } from "./compiler-thread.ts";
import type { CompiledModule, ModuleScope } from "./module-graph.ts";

/** Compiles emitted files to modules that a module graph can run. */
export interface ModuleCompiler {
  /** Returns all files by URL. Files that have not changed since the last call are not compiled again. */
  compile(files: readonly RunnableFile[], urlOf: (path: string) => string): Map<string, CompiledModule>;
}

interface Known extends RunnableFile {
  readonly compiled: CompiledModule;
}

/**
 * The number of folders that edits use in turn, because Node never releases the path of a loaded file. Stack traces of
 * functions that are more edits old may show lines of newer versions.
 */
const KEPT_FOLDERS = 3;

/** Creates a compiler that writes to a folder. Node loads the files by `require`, because it never releases imports. */
export function createModuleCompiler(folder: string): ModuleCompiler {
  let known = new Map<string, Known>();
  let number = 0;

  function compileFile(file: RunnableFile, target: string): CompiledModule {
    if (file.module === undefined) return compileJson(file);
    const { text, imports } = file.module;
    const path = join(target, `${file.path}.cjs`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return { source: file.source, imports, run: requireOnce(path) };
  }

  return {
    compile(files, urlOf) {
      number += 1;
      const target = join(folder, String(number % KEPT_FOLDERS));
      const next = new Map<string, Known>();
      for (const file of files) {
        const before = known.get(file.path);
        const isSame = before?.text === file.text && before.map === file.map && before.source === file.source;
        next.set(file.path, isSame ? before : { ...file, compiled: compileFile(file, target) });
      }
      known = next;
      return new Map([...next].map(([path, { compiled }]) => [urlOf(path), compiled]));
    },
  };
}

function compileJson({ source, text }: RunnableFile): CompiledModule {
  return {
    source,
    imports: [],
    async run(scope: ModuleScope) {
      let value: unknown;
      scope.export("default", () => value);
      await scope.turn;
      value = JSON.parse(text);
    },
  };
}

/**
 * Loads a file without leaving it in Node's cache, whose keys are real paths. Each file gets its own `require`, because
 * Node adds every loaded file to the children of the requiring module.
 */
function requireOnce(path: string): CompiledModule["run"] {
  const require = createRequire(path);
  const id = require.resolve(path);
  delete require.cache[id];
  const run = require(id);
  delete require.cache[id];
  return run;
}
