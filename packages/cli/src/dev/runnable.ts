import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { type EmittedFile, toModuleFunction } from "../derive/index.ts";
import type { ModuleScope, RunnableModule } from "./module-graph.ts";

/** Makes emitted files runnable. */
export interface Runnables {
  /** All of the files by URL. Those that are as they were the last time are not compiled again. */
  update(files: readonly EmittedFile[], urlOf: (path: string) => string): Map<string, RunnableModule>;
}

interface Known extends EmittedFile {
  readonly runnable: RunnableModule;
}

/**
 * Stacks of functions that are older than so many edits may show places of newer ones. The same few paths are used
 * again and again, because Node remembers each path that it ever loaded a file from.
 */
const KEPT_FOLDERS = 3;

/** Opens a folder for what Node is to compile: by `require` and not by `import`, so that it can forget it. */
export function openRunnables(folder: string): Runnables {
  let known = new Map<string, Known>();
  let number = 0;

  function toRunnable(file: EmittedFile, target: string): RunnableModule {
    if (file.path.endsWith(".json")) return toRunnableJson(file);
    const { text, imports } = toModuleFunction(file);
    const path = join(target, `${file.path}.cjs`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return { source: file.source, imports, run: requireOnce(path) };
  }

  return {
    update(files, urlOf) {
      number += 1;
      const target = join(folder, String(number % KEPT_FOLDERS));
      const next = new Map<string, Known>();
      for (const file of files) {
        const before = known.get(file.path);
        const isSame = before?.text === file.text && before.map === file.map && before.source === file.source;
        next.set(file.path, isSame ? before : { ...file, runnable: toRunnable(file, target) });
      }
      known = next;
      return new Map([...next].map(([path, { runnable }]) => [urlOf(path), runnable]));
    },
  };
}

function toRunnableJson({ source, text }: EmittedFile): RunnableModule {
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

/** Node's list of children grows in whoever requires, and its cache goes by real paths. */
function requireOnce(path: string): RunnableModule["run"] {
  const require = createRequire(path);
  const id = require.resolve(path);
  delete require.cache[id];
  const run = require(id);
  delete require.cache[id];
  return run;
}
