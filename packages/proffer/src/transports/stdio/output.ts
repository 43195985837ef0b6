import type { Writable } from "node:stream";
import type { Wire } from "../../protocol/messages.ts";
import { fs, syncBuiltinESMExports } from "./builtins.ts";
import type { Framing } from "./input.ts";

/** Bytes that are gathered before a write, and that may be unread before the client counts as congested. */
const ENOUGH = 64 * 1024;

/** A part of this size is written on its own, not copied to join others. */
const LARGE = 4 * 1024;

/**
 * Writes messages to stdout. Messages of one event-loop turn are written together: a system call costs more than a
 * small response.
 */
export class StdioOutput {
  framing: Framing = "lines";
  /** The caller will flush, so `send` need not schedule it. */
  corked = false;
  /** A request has just arrived: responses that only wait for promises are written within this event-loop turn. */
  prompt = false;
  readonly #stdout: ReservedStdout;
  #text = "";
  #scheduled = false;
  #closed = false;

  constructor(stdout: ReservedStdout) {
    this.#stdout = stdout;
  }

  /** The client reads more slowly than we write. */
  get congested(): boolean {
    return this.#stdout.writableLength > ENOUGH && this.#stdout.writableNeedDrain;
  }

  /** The bytes that the client has not read yet. */
  get unread(): number {
    return this.#text.length + this.#stdout.writableLength;
  }

  send(wire: Wire): void {
    if (this.framing !== "lines") this.#text += `Content-Length: ${byteLength(wire)}\r\n\r\n`;
    if (typeof wire === "string") this.#text += wire;
    else for (const part of wire) this.#addPart(part);
    if (this.framing === "lines") this.#text += "\n";
    if (this.#text.length > ENOUGH) this.flush();
    if (this.corked || this.#scheduled || this.#text === "") return;
    this.#scheduled = true;
    // `nextTick` runs after all pending promises; an immediate also lets other input be read first.
    if (this.prompt) process.nextTick(this.#flushScheduled);
    else setImmediate(this.#flushScheduled);
  }

  flush(): void {
    const text = this.#text;
    this.#text = "";
    if (text !== "" && !this.#closed) this.#stdout.write(text);
  }

  /** Calls back when the client has read its messages; in the next turn if it already has. */
  whenRead(callback: () => void): void {
    this.flush();
    if (this.#stdout.writableNeedDrain) this.#stdout.once("drain", callback);
    else setImmediate(callback);
  }

  /** Resolves when everything is written to the operating system. */
  written(): Promise<void> {
    this.flush();
    return new Promise((resolve) => {
      if (this.#closed) resolve();
      else this.#stdout.write("", () => resolve());
    });
  }

  /** Drops further output: the client is gone, and a write would fail again. */
  close(): void {
    this.#closed = true;
  }

  readonly #flushScheduled = (): void => {
    this.#scheduled = false;
    this.prompt = false;
    this.flush();
  };

  #addPart(part: string | Uint8Array): void {
    if (typeof part === "string" && part.length < LARGE) {
      this.#text += part;
      return;
    }
    this.flush();
    if (this.#closed) return;
    // A queued text is encoded now: Node would copy a queue of texts as a whole before writing it.
    this.#stdout.write(typeof part === "string" && this.#stdout.writableLength > 0 ? Buffer.from(part) : part);
  }
}

function byteLength(wire: Wire): number {
  if (typeof wire === "string") return Buffer.byteLength(wire);
  return wire.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
}

/** The real stdout, for protocol messages only. */
export type ReservedStdout = Pick<Writable, "write" | "writableLength" | "writableNeedDrain" | "once">;

/** The registered symbol is shared by all copies of Proffer in a process: a second one would reserve stderr. */
const RESERVED = Symbol.for("proffer.stdout");

/**
 * Reserves stdout for the protocol: output of the author's code or of a dependency, through `console`,
 * `process.stdout` or descriptor 1, goes to stderr instead. One stray line would break the connection. Direct writes to
 * descriptor 1 by child processes and worker threads cannot be redirected. A second call returns the same stream.
 *
 * `serveStdio` calls it. Call it earlier if modules print while they are imported.
 *
 * @example
 * import { reserveStdout, serveStdio } from "proffer/stdio";
 *
 * reserveStdout();
 * const { server } = await import("./server.ts"); // prints to stderr
 * await serveStdio(server);
 */
export function reserveStdout(): ReservedStdout {
  const holder = globalThis as { [RESERVED]?: ReservedStdout };
  holder[RESERVED] ??= takeStdout();
  return holder[RESERVED];
}

function takeStdout(): ReservedStdout {
  const { stdout } = process;
  const taken: ReservedStdout = {
    write: stdout.write.bind(stdout) as Writable["write"],
    once: stdout.once.bind(stdout) as Writable["once"],
    get writableLength() {
      return stdout.writableLength;
    },
    get writableNeedDrain() {
      return stdout.writableNeedDrain;
    },
  };
  // Bound now: code that later redirects stderr to stdout must not cause a loop.
  const print = process.stderr.write.bind(process.stderr) as Print;
  redirectStream(stdout, print);
  redirectDescriptor(print);
  return taken;
}

type Print = (...args: readonly unknown[]) => void;

function redirectStream(stdout: NodeJS.WriteStream, print: Print): void {
  const write = (...args: unknown[]): boolean => {
    print(...args);
    // Never false: the caller would wait for a "drain" of stdout, which does not come for output to stderr.
    return true;
  };
  const end = (...args: unknown[]): Writable => {
    const done = args.find((arg) => typeof arg === "function");
    if (args[0] !== undefined && args[0] !== null && args[0] !== done) write(...args.filter((arg) => arg !== done));
    // The stream stays open for the protocol, but callers that wait for its end are notified.
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
 * Redirects writes to descriptor 1 to the stderr stream, not to descriptor 2: a non-blocking pipe fails when it is
 * full, while the stream buffers.
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
  // Modules that imported these functions by name get the new ones too.
  syncBuiltinESMExports();
}

type Writer = "write" | "writev" | "writeSync" | "writevSync" | "writeFileSync" | "appendFileSync";

function replace(name: Writer, writeToStderr: (...data: unknown[]) => unknown): void {
  const original = fs[name] as (...args: unknown[]) => unknown;
  const redirected = (target: unknown, ...data: unknown[]) =>
    target === STDOUT ? writeToStderr(...data) : original(target, ...data);
  // Keeps the function's properties: its name, and the symbol that util.promisify uses.
  Object.defineProperties(redirected, Object.getOwnPropertyDescriptors(original));
  fs[name] = redirected as never;
}

/** The bytes that one of these functions would write: a text in some encoding, a range of bytes, or several of them. */
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
