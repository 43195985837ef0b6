import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import type { ModuleImport } from "../derive/index.ts";
import type { Natives } from "./external-modules.ts";

/** What a module exports, by name. */
export type Namespace = Record<string, unknown>;

/** A file of the project that can be run as a module. */
export interface RunnableModule {
  /** The path of what it was made from. */
  readonly source: string;
  readonly imports: readonly ModuleImport[];
  /** Tells what it exports, waits for its turn and does what the module does. */
  readonly run: (this: void, scope: ModuleScope) => Promise<void>;
}

/** What a module sees of the others: their namespaces, by the index of the import, and what else a module can use. */
export interface ModuleScope {
  [index: number]: Namespace;
  readonly meta: object;
  readonly turn: Promise<void>;
  import(specifier: string): Promise<Namespace>;
  export(name: string, get: () => unknown): void;
}

interface LinkedModule extends RunnableModule {
  readonly namespace: Namespace;
  readonly scope: ModuleScope;
  /** In the order of the imports; a string is what Node imports. */
  readonly dependencies: (LinkedModule | string)[];
  readonly begin: () => void;
  /** Settles with the module, which waits for its turn. */
  done: Promise<void>;
  /** There from its turn on. */
  evaluation?: Promise<void>;
}

/**
 * Links and evaluates modules in the way of ECMAScript: each once, after what it imports, with bindings that are live.
 * Nobody else knows of them, so that they are forgotten with the graph. What is not of the project, Node imports.
 * @param files - the files of the project by URL.
 * @returns a function that imports one of them.
 */
export function createModuleGraph(
  files: ReadonlyMap<string, RunnableModule>,
  natives: Natives,
): (url: string) => Promise<Namespace> {
  const modules = new Map<string, LinkedModule>();
  const fileAt = (url: string) => files.get(url.replace(/[?#].*$/, ""));

  async function importModule(url: string): Promise<Namespace> {
    const file = fileAt(url);
    if (file === undefined) return natives.load(url);
    const linked: LinkedModule[] = [];
    const module = link(url, file, linked);
    for (const each of linked) exportStars(each);
    await evaluate(module, new Set());
    return module.namespace;
  }

  function link(url: string, file: RunnableModule, linked: LinkedModule[]): LinkedModule {
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

  function createModule(url: string, file: RunnableModule): LinkedModule {
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
        resolve: (specifier: string) => natives.resolve(locate(specifier, url)),
      },
      import: async (specifier) => importModule(locate(String(specifier), url)),
      export: (name, get) => Object.defineProperty(namespace, name, { get, enumerable: true }),
    };
    return { ...file, namespace, scope, dependencies: [], begin, done: turn };
  }

  /** On a way through imports that comes back to a module, that module is left for later. */
  async function evaluate(module: LinkedModule, way: Set<LinkedModule>): Promise<void> {
    if (module.evaluation !== undefined || way.has(module)) return module.evaluation;
    way.add(module);
    for (const [index, dependency] of module.dependencies.entries()) {
      if (typeof dependency === "string") module.scope[index] = await natives.load(dependency);
      else await evaluate(dependency, way);
      if (typeof dependency === "string" || dependency.evaluation !== undefined) checkNames(module, index);
    }
    exportStars(module);
    module.evaluation ??= begin(module);
    return module.evaluation;
  }

  return importModule;
}

/** Resolves a specifier as far as it depends on the module that it is in. */
function locate(specifier: string, url: string): string {
  return /^\.{0,2}\//.test(specifier) ? new URL(specifier, url).href : specifier;
}

/** Ends the stack of what the module throws: were it awaited, or its promise handed on, frames of ours would follow. */
function begin(module: LinkedModule): Promise<void> {
  return new Promise((resolve, reject) => {
    module.done.then(
      () => resolve(),
      (error) => reject(error),
    );
    module.begin();
  });
}

/** Exports what `export * from` stands for, as far as it is known already. */
function exportStars(module: LinkedModule, way = new Set<LinkedModule>()): void {
  if (way.has(module)) return;
  way.add(module);
  for (const [index, { star }] of module.imports.entries()) {
    if (!star) continue;
    const dependency = module.dependencies[index];
    if (typeof dependency === "object") exportStars(dependency, way);
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
