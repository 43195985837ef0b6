import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { createDeriver, type EmittedFile, toModuleFunction } from "../derive/index.ts";
import { locateCache, newEmissionFolder, writeCache } from "../modules/cache.ts";
import { InputRecorder } from "../modules/inputs.ts";
import { currentTrust } from "../modules/trust.ts";
import { isBroken } from "../terminal/diagnostic-report.ts";
import type { Compiler, CompilerRequest, CompilerResponse, RunnableFile } from "./compiler-thread.ts";

/** Creates a compiler that runs in this thread. */
export function createCompiler(module: string, trust = currentTrust()): Compiler {
  const recorder = new InputRecorder();
  const deriver = createDeriver(module, { observer: recorder });
  let derivations = 0;
  let known = new Map<string, RunnableFile>();

  /** Files that have not changed since the last call are not converted again. */
  function toRunnable(file: EmittedFile): RunnableFile {
    const before = known.get(file.path);
    const isSame = before?.text === file.text && before.map === file.map && before.source === file.source;
    return isSame ? before : makeRunnable(file);
  }

  return {
    async derive() {
      derivations += 1;
      return deriver.derive();
    },
    async emit(outDir) {
      const emission = deriver.emit(outDir);
      // CommonJS files are imported as they are.
      if (emission.files.some(({ path }) => path.endsWith(".cjs"))) return emission;
      const files = emission.files.map(toRunnable);
      known = new Map(files.map((file) => [file.path, file]));
      return { ...emission, files };
    },
    async positions() {
      return deriver.positions();
    },
    async sources() {
      return deriver.sources();
    },
    async save(derivation) {
      // Later derivations reuse parts of the first one, so their inputs are not known.
      if (derivations !== 1 || isBroken(derivation)) return;
      const location = locateCache(module);
      const root = newEmissionFolder(location);
      try {
        writeCache(location, derivation, deriver.emit(root), root, recorder, trust);
      } catch {
        // The next start derives again.
      }
    },
  };
}

/** Adds the function that runs a file. */
export function makeRunnable(file: EmittedFile): RunnableFile {
  return file.path.endsWith(".json") ? file : { ...file, module: toModuleFunction(file) };
}

/** Answers the requests of `startCompiler`, one after the other. */
function answerRequests(port: MessagePort, compiler: Compiler): void {
  let work = Promise.resolve();
  port.on("message", ({ method, argument }: CompilerRequest) => {
    work = work.then(async () => port.postMessage(await respond(compiler, method, argument)));
  });
}

async function respond(to: Compiler, method: keyof Compiler, argument: unknown): Promise<CompilerResponse> {
  try {
    return { value: await to[method](argument as never) };
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

// Only in the thread that `startCompiler` creates for a module.
if (parentPort !== null && typeof workerData === "string") answerRequests(parentPort, createCompiler(workerData));
