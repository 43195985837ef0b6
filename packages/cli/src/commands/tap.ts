import { StringDecoder } from "node:string_decoder";
import type { Inspector, Target } from "@proffer/inspector";
import { type HeaderFlags, toHeaders } from "../client/headers.ts";
import { WireRecord } from "../recordings/record.ts";
import { pathForRecording, RecordingFile } from "../recordings/recording-file.ts";
import { type Exit, relay } from "../recordings/relay.ts";
import { TapRecorder } from "../recordings/tap-recorder.ts";
import { PassedOnExit, WrongUsage } from "../terminal/command-error.ts";
import { flushOutput, say } from "../terminal/terminal.ts";
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
 * Runs a server for the client that started this command, and records what they say to each other. Stdout has only the
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
  const record = new WireRecord();
  startRecording(record, target, flags.record);
  const recorder = new TapRecorder(record);
  const page = port === undefined && !flags.open ? undefined : showPage(record, target, port, flags.open);
  const decoder = new StringDecoder();
  const exit = await relay(command, {
    sent: (chunk) => contain(() => recorder.sent(chunk)),
    received: (chunk) => contain(() => recorder.received(chunk)),
    stderr: (chunk) => void page?.then((inspector) => inspector?.addOutput(decoder.write(chunk))),
  });
  contain(() => recorder.end());
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

function warn(message: string): void {
  say(text`warning: ${message}`);
}
