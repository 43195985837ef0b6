import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ModuleImport } from "../derive/index.ts";
import type { RunnableFile } from "./compiler-thread.ts";

/** The exports of a module, by name. */
export type Namespace = Record<string, unknown>;

/** A file of the project, compiled to a function that behaves like a module. */
export interface CompiledModule {
  /** The path of the source file. */
  readonly source: string;
  readonly imports: readonly ModuleImport[];
  /** Declares the exports, waits for `scope.turn` and evaluates the module. */
  readonly run: (this: void, scope: ModuleScope) => Promise<void>;
}

/** The environment of a module: the namespaces of its imports, by index, and the module features that code can use. */
export interface ModuleScope {
  [index: number]: Namespace;
  readonly meta: object;
  readonly turn: Promise<void>;
  import(specifier: string): Promise<Namespace>;
  export(name: string, get: () => unknown): void;
}

interface LinkedModule extends CompiledModule {
  readonly namespace: Namespace;
  readonly scope: ModuleScope;
  /** In the order of the imports. Node imports those that are strings. */
  readonly dependencies: (LinkedModule | string)[];
  readonly begin: () => void;
  /** Settles when the evaluation of the module ends. */
  done: Promise<void>;
  /** Set when the evaluation starts. */
  evaluation?: Promise<void>;
}

/**
 * Links and evaluates modules as ECMAScript defines: each once, after its imports, with live bindings. Unlike Node's
 * modules they can be garbage-collected together with the graph. Node imports the modules outside the project.
 * @param files - the files of the project by URL.
 * @returns a function that imports one of them.
 */
export function createModuleGraph(
  files: ReadonlyMap<string, CompiledModule>,
  externals: ExternalModules,
): (url: string) => Promise<Namespace> {
  const modules = new Map<string, LinkedModule>();
  const fileAt = (url: string) => files.get(url.replace(/[?#].*$/, ""));

  async function importModule(url: string): Promise<Namespace> {
    const file = fileAt(url);
    if (file === undefined) return externals.load(url);
    const linked: LinkedModule[] = [];
    const module = link(url, file, linked);
    for (const each of linked) exportStars(each);
    await evaluate(module, new Set());
    return module.namespace;
  }

  function link(url: string, file: CompiledModule, linked: LinkedModule[]): LinkedModule {
    const known = modules.get(url);
    if (known !== undefined) return known;
    const module = createModule(url, file);
    modules.set(url, module);
    linked.push(module);
    for (const [index, { specifier }] of file.imports.entries()) {
      const target = locate(specifier, url);
      const targetFile = fileAt(target);
      const dependency = targetFile === undefined ? target : link(target, targetFile, linked);
      module.dependencies.push(dependency);
      if (typeof dependency !== "string") module.scope[index] = dependency.namespace;
    }
    const { run } = file;
    module.done = run(module.scope);
    return module;
  }

  function createModule(url: string, file: CompiledModule): LinkedModule {
    const namespace: Namespace = Object.create(null, { [Symbol.toStringTag]: { value: "Module" } });
    let begin = () => {};
    const turn = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const scope: ModuleScope = {
      turn,
      meta: {
        url: pathToFileURL(file.source).href,
        filename: file.source,
        dirname: dirname(file.source),
        resolve: (specifier: string) => externals.resolve(locate(specifier, url)),
      },
      import: async (specifier) => importModule(locate(String(specifier), url)),
      export: (name, get) => Object.defineProperty(namespace, name, { get, enumerable: true }),
    };
    return { ...file, namespace, scope, dependencies: [], begin, done: turn };
  }

  /** `visited` breaks import cycles: a module on the current path is evaluated later. */
  async function evaluate(module: LinkedModule, visited: Set<LinkedModule>): Promise<void> {
    if (module.evaluation !== undefined || visited.has(module)) return module.evaluation;
    visited.add(module);
    for (const [index, dependency] of module.dependencies.entries()) {
      if (typeof dependency === "string") module.scope[index] = await externals.load(dependency);
      else await evaluate(dependency, visited);
      if (typeof dependency === "string" || dependency.evaluation !== undefined) checkNames(module, index);
    }
    exportStars(module);
    module.evaluation ??= begin(module);
    return module.evaluation;
  }

  return importModule;
}

/** Resolves a relative specifier against the URL of its module. */
function locate(specifier: string, url: string): string {
  return /^\.{0,2}\//.test(specifier) ? new URL(specifier, url).href : specifier;
}

/** Starts a module. The new promise ends the async stack trace of its errors, which `await` would extend with our frames. */
function begin(module: LinkedModule): Promise<void> {
  return new Promise((resolve, reject) => {
    module.done.then(
      () => resolve(),
      (error) => reject(error),
    );
    module.begin();
  });
}

/** Adds the names of `export * from`, as far as they are known yet. */
function exportStars(module: LinkedModule, visited = new Set<LinkedModule>()): void {
  if (visited.has(module)) return;
  visited.add(module);
  for (const [index, { star }] of module.imports.entries()) {
    if (!star) continue;
    const dependency = module.dependencies[index];
    if (typeof dependency === "object") exportStars(dependency, visited);
    const from = module.scope[index] ?? {};
    for (const name of Object.keys(from)) {
      if (name !== "default" && !(name in module.namespace)) module.scope.export(name, () => from[name]);
    }
  }
}

function checkNames({ imports, scope, source }: LinkedModule, index: number): void {
  const { specifier, names } = imports[index] ?? { specifier: "", names: [] };
  const missing = names.find((name) => !(name in (scope[index] ?? {})));
  if (missing === undefined) return;
  const error = new SyntaxError(`The requested module '${specifier}' does not provide an export named '${missing}'`);
  error.stack = `${error}\n    at ${source}`;
  throw error;
}

/** Imports modules outside the project: packages and Node's built-in modules. */
export interface ExternalModules {
  load(specifier: string): Promise<Record<string, unknown>>;
  /** The same as `import.meta.resolve`. */
  resolve(specifier: string): string;
}

const FILE = "external.mjs";
/** Node requires an import attribute for JSON. */
const TEXT = `
const json = { with: { type: "json" } };
export const load = (specifier) => (specifier.endsWith(".json") ? import(specifier, json) : import(specifier));
export const resolve = (specifier) => import.meta.resolve(specifier);
`;

/** Imports modules from a folder: Node looks for packages relative to the importing module. */
export function openExternalModules(folder: string): Promise<ExternalModules> {
  mkdirSync(folder, { recursive: true });
  // As in the folder that `serve` imports from: the `imports` of the project's package.json do not apply.
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
  writeFileSync(join(folder, FILE), TEXT);
  return import(pathToFileURL(join(folder, FILE)).href);
}

/**
 * The number of folders that edits use in turn, because Node never releases the path of a loaded file. Stack traces of
 * functions that are more edits old may show lines of newer versions.
 */
const KEPT_FOLDERS = 3;

/**
 * Creates a function that compiles emitted files to modules that a module graph can run, by URL. It writes to a folder,
 * and Node loads the files by `require`, because it never releases imports. Files that have not changed since the last
 * call are not compiled again.
 */
export function createModuleCompiler(folder: string) {
  let known = new Map<string, RunnableFile & { readonly compiled: CompiledModule }>();
  let number = 0;

  function compileFile(file: RunnableFile, target: string): CompiledModule {
    if (file.module === undefined) return compileJson(file);
    const { text, imports } = file.module;
    const path = join(target, `${file.path}.cjs`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return { source: file.source, imports, run: requireOnce(path) };
  }

  return (files: readonly RunnableFile[], urlOf: (path: string) => string): Map<string, CompiledModule> => {
    number += 1;
    const target = join(folder, String(number % KEPT_FOLDERS));
    const next: typeof known = new Map();
    for (const file of files) {
      const before = known.get(file.path);
      const isSame = before?.text === file.text && before.map === file.map && before.source === file.source;
      next.set(file.path, isSame ? before : { ...file, compiled: compileFile(file, target) });
    }
    known = next;
    return new Map([...next].map(([path, { compiled }]) => [urlOf(path), compiled]));
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
