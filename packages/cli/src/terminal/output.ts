import { guardStdout } from "proffer/stdio";
import { CommandError } from "./command-error.ts";

let problem: Error | undefined;

/**
 * Continues when the reader of stdout or stderr is gone, as in `proffer list tools.ts | head`: the rest of the output
 * has no reader, and an unhandled `error` event would end the process with a stack trace.
 */
export function tolerateClosedPipes(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") problem ??= error;
  });
  process.stderr.on("error", () => {});
}

/**
 * Resolves when the output has left the process. A pipe takes 64 KiB at a time, and `process.exit` drops the rest.
 * @throws {CommandError} if stdout could not be written, for example because the disk is full.
 */
export async function flushOutput(): Promise<void> {
  const flushed = [guardStdout(), process.stderr].map(
    (stream) => new Promise<void>((resolve) => stream.write("", () => resolve())),
  );
  await Promise.all(flushed);
  if (problem !== undefined) throw new CommandError(`The output could not be written: ${problem.message}`);
}
