import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
import type { Derivation, Emission, EmittedFile, ItemPositions, ItemSource, ModuleFunction } from "../derive/index.ts";

/** An emitted file, and the function that runs it; JSON and CommonJS files have none. */
export interface RunnableFile extends EmittedFile {
  readonly module?: ModuleFunction | undefined;
}

export interface RunnableEmission extends Emission {
  readonly files: readonly RunnableFile[];
}

/** Derives and emits a module repeatedly. */
export interface Compiler {
  /** Reads the changed files and describes the module. */
  derive(): Promise<Derivation>;
  /** Returns the JavaScript of the last derivation. */
  emit(outDir: string): Promise<RunnableEmission>;
  /** Returns where the parts of the items of the last derivation come from. For the inspector. */
  positions(): Promise<readonly ItemPositions[]>;
  /** Returns the code of the items of the last derivation. For the findings of doctor in the inspector. */
  sources(): Promise<readonly ItemSource[]>;
  /** Writes a derivation to the cache of the module if it is the first one and can be served, for the next start. */
  save(derivation: Derivation): Promise<void>;
}

/** A request to the thread: a method of `Compiler` and its argument. */
export interface CompilerRequest {
  readonly method: keyof Compiler;
  readonly argument?: unknown;
}

/** The response of the thread; requests are answered in order. */
export type CompilerResponse = { readonly value: unknown } | { readonly error: string };

/**
 * Creates a compiler that runs in its own thread, which starts with the first request: the compiler works for seconds,
 * and meanwhile this thread must respond to clients.
 */
export function startCompiler(module: string): Compiler {
  let worker: Worker | undefined;
  const pending: { resolve: (value: never) => void; reject: (error: Error) => void }[] = [];

  function start(): Worker {
    const started = new Worker(createRequire(import.meta.url).resolve("#compiler-worker"), { workerData: module });
    const fail = (error: Error) => {
      if (worker !== started) return;
      // The next request starts a new thread.
      worker = undefined;
      for (const { reject } of pending.splice(0)) reject(error);
    };
    started.on("message", (response: CompilerResponse) => {
      const request = pending.shift();
      // Only a thread with work keeps the process alive.
      if (pending.length === 0) started.unref();
      if ("error" in response) request?.reject(new Error(response.error));
      else request?.resolve(response.value as never);
    });
    started.on("error", (error) => fail(error as Error));
    started.on("exit", (code) => fail(new Error(`The compiler's thread ended with code ${code}.`)));
    return started;
  }

  function request(method: keyof Compiler, argument?: unknown): Promise<never> {
    worker ??= start();
    worker.ref();
    worker.postMessage({ method, argument } satisfies CompilerRequest);
    return new Promise((resolve, reject) => void pending.push({ resolve, reject }));
  }

  return {
    derive: () => request("derive"),
    emit: (outDir) => request("emit", outDir),
    positions: () => request("positions"),
    sources: () => request("sources"),
    save: (derivation) => request("save", derivation),
  };
}
