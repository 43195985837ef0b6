import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { guardStdout } from "proffer/stdio";
import { CommandError } from "../terminal/command-error.ts";

/** Sees the bytes that pass, after they were passed on. */
export interface RelayObserver {
  sent(chunk: Buffer): void;
  received(chunk: Buffer): void;
  stderr(chunk: Buffer): void;
}

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** The signals by which clients and service managers stop a server, or tell it something. */
const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR2"] as const;

/**
 * Starts a command between this process and its client: all bytes of stdin, stdout and stderr pass unchanged, and as
 * slowly as the reader wants. Each end of a stream, and each signal, reaches the other side as it would without a relay.
 * @throws {CommandError} if the command cannot be started.
 */
export async function relay([command = "", ...args]: readonly string[], observer: RelayObserver): Promise<Exit> {
  let stopForwarding = () => {};
  try {
    const child: Child = spawn(command, args, { stdio: "pipe", shell: false });
    stopForwarding = forwardSignals(child);
    const closed = once(child, "close");
    passInput(child, observer);
    passOutput(child, observer);
    const [code, signal] = await closed;
    return { code, signal };
  } catch (error) {
    throw new CommandError(`${command} could not be started: ${(error as Error).message}`, { cause: error });
  } finally {
    stopForwarding();
    // Nobody reads it any more, and a client that keeps it open must not keep this process.
    process.stdin.destroy();
  }
}

function passInput(child: Child, { sent }: RelayObserver): void {
  const { stdin } = process;
  pass(stdin, child.stdin, sent);
  const end = () => child.stdin.end();
  stdin.on("end", end);
  stdin.on("error", end);
  // The server reads no more: the client fails to write, as it would without a relay.
  child.stdin.on("error", () => stdin.destroy());
  // A process that the server has started may still read from the same pipe.
  child.on("exit", () => child.stdin.destroy());
}

function passOutput(child: Child, { received, stderr }: RelayObserver): void {
  pass(child.stdout, guardStdout(), received);
  pass(child.stderr, process.stderr, stderr);
  // The client reads no more: the server fails to write.
  process.stdout.on("error", () => child.stdout.destroy());
  process.stderr.on("error", () => child.stderr.destroy());
}

/** Not `pipe`, because the real stdout is guarded and no whole stream. */
function pass(source: Readable, sink: Pick<Writable, "write" | "once">, seen: (chunk: Buffer) => void): void {
  source.on("data", (chunk: Buffer) => {
    if (!sink.write(chunk)) {
      source.pause();
      sink.once("drain", () => source.resume());
    }
    seen(chunk);
  });
}

function forwardSignals(child: Child): () => void {
  // Ctrl-C in a terminal reaches all its processes; a second signal would make some of them give up at once.
  const forwarded = SIGNALS.filter((signal) => signal !== "SIGINT" || !process.stdin.isTTY);
  const forward = (signal: NodeJS.Signals) => child.kill(signal);
  const ignore = () => {};
  process.on("SIGINT", ignore);
  for (const signal of forwarded) process.on(signal, forward);
  return () => {
    process.off("SIGINT", ignore);
    for (const signal of forwarded) process.off(signal, forward);
  };
}
