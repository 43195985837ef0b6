import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import type { Inspector, Target } from "@proffer/inspector";
import { reserveStdout } from "proffer/stdio";
import { type HeaderFlags, toHeaders } from "../client/headers.ts";
import { Mask, WireRecord } from "../recordings/record.ts";
import { pathForRecording, RecordingFile } from "../recordings/recording-file.ts";
import { createLineReader, recordRelay } from "../recordings/relayed.ts";
import { CommandError, PassedOnExit, WrongUsage } from "../terminal/command-error.ts";
import { SECRET_NAME } from "../terminal/redact.ts";
import { flushOutput, say, warn } from "../terminal/terminal.ts";
import { text } from "../terminal/text.ts";
import { requireOwnProcess, toPort } from "./transport-flags.ts";

export interface TapFlags extends HeaderFlags {
  /** The file of the recording. */
  readonly record?: string;
  /** The port of the page; without one there is no page. */
  readonly port?: string;
  readonly open?: boolean;
}

/**
 * Runs a server for the client that started this command, and records their messages. Stdout has only the
 * bytes of the server.
 * @throws {PassedOnExit} with the exit code of the server. @throws {CommandError} if it cannot be started.
 */
export async function tap(
  words: readonly string[],
  command: readonly string[] | undefined,
  flags: TapFlags,
): Promise<void> {
  const [unexpected] = words;
  if (unexpected !== undefined) {
    throw new WrongUsage(`Unexpected argument ${JSON.stringify(unexpected)}. --tap needs a command after --.`);
  }
  if (command === undefined || command.length === 0) {
    throw new WrongUsage("Missing command after --. Example: proffer inspect --tap -- node server.js");
  }
  toHeaders(flags, { kind: "command", command });
  const port = flags.port === undefined ? undefined : toPort("--port", flags.port);
  requireOwnProcess();
  const target: Target = { kind: "command", name: command[0] ?? "" };
  // The client passes credentials in the environment, and servers repeat them in their messages.
  const secrets = Object.entries(process.env).filter(([name]) => SECRET_NAME.test(name));
  const record = new WireRecord(new Mask(Object.fromEntries(secrets) as Record<string, string>));
  startRecording(record, target, flags.record);
  const recorder = recordRelay(record);
  const page = port === undefined && !flags.open ? undefined : showPage(record, target, port, flags.open);
  // Whole lines: half of a secret could not be masked.
  const errors = createLineReader(({ bytes, isComplete }) => {
    void page?.then((inspector) => inspector?.addOutput(`${bytes}${isComplete ? "\n" : ""}`));
  });
  const exit = await relay(command, {
    sent: (chunk) => contain(() => recorder.sent(chunk)),
    received: (chunk) => contain(() => recorder.received(chunk)),
    stderr: (chunk) => page && errors.add(chunk),
  });
  contain(() => recorder.end());
  errors.end();
  await (await page)?.close();
  await exitLike(exit);
}

/** A file that the user named must be writable; without one, the server is more important than its recording. */
function startRecording(record: WireRecord, target: Target, path: string | undefined): void {
  try {
    const file = new RecordingFile(path ?? pathForRecording(), target, warn);
    file.follow(record);
    say(text`Recording to ${file.path}`);
  } catch (error) {
    if (path !== undefined) throw error;
    warn((error as Error).message);
  }
}

/** Nothing of the page may stop the relay. */
async function showPage(
  record: WireRecord,
  target: Target,
  port: number | undefined,
  open: boolean | undefined,
): Promise<Inspector | undefined> {
  try {
    const [{ startInspector }, { createHost }, { announce }] = await Promise.all([
      import("@proffer/inspector"),
      import("../inspect/host.ts"),
      import("../inspect/announce.ts"),
    ]);
    const inspector = await startInspector(createHost({ target, record }), port);
    announce(inspector, { port, open, keys: false });
    return inspector;
  } catch (error) {
    warn(`The page cannot be shown: ${(error as Error).message}`);
    return undefined;
  }
}

/** Ends as the server has ended, so that the client sees the same. */
async function exitLike({ code, signal }: Exit): Promise<void> {
  if (signal !== null) {
    await flushOutput();
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    // The signal arrives in a later turn.
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
  if (code !== 0) throw new PassedOnExit(code ?? 1);
}

function contain(work: () => void): void {
  try {
    work();
  } catch (error) {
    warn(`A message could not be recorded: ${(error as Error).message}`);
  }
}

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

/** The signals by which clients and service managers stop or notify a server. */
const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR2"] as const;

/**
 * Starts a command between this process and its client: all bytes of stdin, stdout and stderr pass unchanged, and as
 * slowly as the reader wants. Each end of a stream, and each signal, reaches the other side as it would without a relay.
 * @throws {CommandError} if the command cannot be started.
 */
async function relay([command = "", ...args]: readonly string[], observer: RelayObserver): Promise<Exit> {
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
  pass(child.stdout, reserveStdout(), received);
  pass(child.stderr, process.stderr, stderr);
  // The client reads no more: the server fails to write.
  process.stdout.on("error", () => child.stdout.destroy());
  process.stderr.on("error", () => child.stderr.destroy());
}

/** Not `pipe`, because the real stdout is reserved and no whole stream. */
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
