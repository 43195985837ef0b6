import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import type { Writable } from "node:stream";

/** The real stdout, for messages only. */
export interface GuardedStdout {
  write: Writable["write"];
  once(event: "drain" | "error", listener: (error?: Error) => void): void;
  off(event: "drain" | "error", listener: (error?: Error) => void): void;
}

let guarded: GuardedStdout | undefined;

const STDOUT = 1;
const STDERR = 2;

/**
 * Keeps stdout for the protocol: whatever the author's code or a dependency prints there, by `console`, by
 * `process.stdout` or by writing to descriptor 1, goes to stderr instead. One stray line would end the conversation.
 * Calling it again gives the same stream.
 */
export function guardStdout(): GuardedStdout {
  if (guarded !== undefined) return guarded;
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout) as Writable["write"];
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  // A pipe into stdout must not end it for us.
  stdout.end = (() => stdout) as typeof stdout.end;
  redirectDescriptor();
  guarded = {
    write,
    once: (event, listener) => void stdout.once(event, listener),
    off: (event, listener) => void stdout.off(event, listener),
  };
  return guarded;
}

type DescriptorWriter = "write" | "writeSync" | "writev" | "writevSync" | "writeFileSync" | "appendFileSync";

const WRITERS: readonly DescriptorWriter[] = [
  "write",
  "writeSync",
  "writev",
  "writevSync",
  "writeFileSync",
  "appendFileSync",
];

function redirectDescriptor(): void {
  for (const name of WRITERS) {
    const original = fs[name] as (...args: unknown[]) => unknown;
    const redirected = (target: unknown, ...rest: unknown[]) => original(target === STDOUT ? STDERR : target, ...rest);
    // Keeps what hangs on the function, such as the promisified form of fs.write.
    fs[name] = Object.assign(redirected, original) as never;
  }
  // Modules that imported these functions by name see the new ones too.
  syncBuiltinESMExports();
}
