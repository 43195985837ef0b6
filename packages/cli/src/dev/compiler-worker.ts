/** The thread of `startCompiler`. */
import { parentPort, workerData } from "node:worker_threads";
import { createCompiler } from "./compiler.ts";
import type { Compiler, CompilerRequest, CompilerResponse } from "./compiler-thread.ts";

const compiler = createCompiler(workerData);
let work = Promise.resolve();

parentPort?.on("message", ({ method, argument }: CompilerRequest) => {
  work = work.then(async () => parentPort?.postMessage(await respond(compiler, method, argument)));
});

async function respond(to: Compiler, method: keyof Compiler, argument: unknown): Promise<CompilerResponse> {
  try {
    return { value: await to[method](argument as never) };
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
