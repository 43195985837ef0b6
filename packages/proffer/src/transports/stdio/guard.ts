import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import type { Writable } from "node:stream";

/** The real stdout, for messages only. */
export type GuardedStdout = Pick<Writable, "write" | "writableLength" | "writableNeedDrain" | "once">;

let guarded: GuardedStdout | undefined;

/**
 * Keeps stdout for the protocol: whatever the author's code or a dependency prints there, by `console`, by
 * `process.stdout` or by writing to descriptor 1, goes to stderr instead. One stray line would end the conversation.
 * What a child process or a worker thread writes to descriptor 1 by itself is out of its reach. Calling it again
 * gives the same stream.
 */
export function guardStdout(): GuardedStdout {
  guarded ??= takeStdout();
  return guarded;
}

function takeStdout(): GuardedStdout {
  const { stdout } = process;
  const taken: GuardedStdout = {
    write: stdout.write.bind(stdout) as Writable["write"],
    once: stdout.once.bind(stdout) as Writable["once"],
    get writableLength() {
      return stdout.writableLength;
    },
    get writableNeedDrain() {
      return stdout.writableNeedDrain;
    },
  };
  // As it is now: whoever sends stderr to stdout later shall not send us round in circles.
  const print = process.stderr.write.bind(process.stderr) as Print;
  redirectStream(stdout, print);
  redirectDescriptor(print);
  return taken;
}

type Print = (...args: readonly unknown[]) => void;

function redirectStream(stdout: NodeJS.WriteStream, print: Print): void {
  const write = (...args: unknown[]): boolean => {
    print(...args);
    // Whoever is told to wait would wait for a "drain" of stdout, which does not come for what went to stderr.
    return true;
  };
  const end = (...args: unknown[]): Writable => {
    const done = args.find((arg) => typeof arg === "function");
    if (args[0] !== undefined && args[0] !== null && args[0] !== done) write(...args.filter((arg) => arg !== done));
    // It stays open for us, and who waits for its end need not wait for ever.
    process.nextTick(() => {
      done?.();
      stdout.emit("finish");
    });
    return stdout;
  };
  Object.assign(stdout, { write, end, cork: () => {}, uncork: () => {} });
}

const STDOUT = 1;

/**
 * Descriptor 2 would be the wrong place to send these writes to: where stderr is a pipe it does not block, and a write
 * fails once the pipe is full. The stream keeps what the pipe does not take.
 */
function redirectDescriptor(print: Print): void {
  for (const name of ["writeSync", "writevSync", "writeFileSync", "appendFileSync"] as const) {
    replace(name, (...data) => {
      const bytes = bytesOf(data);
      print(bytes);
      return name.endsWith("FileSync") ? undefined : bytes.length;
    });
  }
  for (const name of ["write", "writev"] as const) {
    replace(name, (...data) => {
      const done = data.pop() as (error: Error | null, written: number, data: unknown) => void;
      const bytes = bytesOf(data);
      print(bytes, (error?: Error | null) => done(error ?? null, bytes.length, data[0]));
    });
  }
  // Modules that imported these functions by name see the new ones too.
  syncBuiltinESMExports();
}

type Writer = "write" | "writev" | "writeSync" | "writevSync" | "writeFileSync" | "appendFileSync";

function replace(name: Writer, writeToStderr: (...data: unknown[]) => unknown): void {
  const original = fs[name] as (...args: unknown[]) => unknown;
  const redirected = (target: unknown, ...data: unknown[]) =>
    target === STDOUT ? writeToStderr(...data) : original(target, ...data);
  // Keeps what hangs on the function: its name, and what util.promisify makes of it.
  Object.defineProperties(redirected, Object.getOwnPropertyDescriptors(original));
  fs[name] = redirected as never;
}

/** What one of these functions would have written: a text in some encoding, a part of some bytes, or several bytes. */
function bytesOf([data, ...rest]: readonly unknown[]): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data.map((part) => bytesOf([part])));
  if (!ArrayBuffer.isView(data)) return Buffer.from(String(data), encodingOf(rest));
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const [first, second] = rest;
  const part = typeof first === "object" && first !== null ? first : { offset: first, length: second };
  const { offset, length } = part as { offset?: number | null; length?: number | null };
  const start = offset ?? 0;
  return bytes.subarray(start, start + (length ?? bytes.length));
}

function encodingOf(rest: readonly unknown[]): BufferEncoding {
  const named = rest.map((arg) => (typeof arg === "object" && arg !== null && "encoding" in arg ? arg.encoding : arg));
  return (named.find((arg) => typeof arg === "string") as BufferEncoding | undefined) ?? "utf8";
}
