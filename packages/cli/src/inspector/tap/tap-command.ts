import { StringDecoder } from "node:string_decoder";
import { PassedOnExit } from "../../terminal/command-error.ts";
import { flushOutput } from "../../terminal/output.ts";
import { say } from "../../terminal/terminal.ts";
import { text } from "../../terminal/text.ts";
import type { Inspector } from "../inspector.ts";
import type { Target } from "../protocol/offer.ts";
import { WireRecord } from "../record/record.ts";
import { RecordingFile } from "./recording-file.ts";
import { pathForRecording } from "./recording-path.ts";
import { type Exit, relay } from "./relay.ts";
import { TapRecorder } from "./tap-recorder.ts";

export interface TapOptions {
  /** The file of the recording. */
  readonly record?: string;
  /** The port of the page; without one there is no page. */
  readonly port?: number | undefined;
  readonly open?: boolean;
}

/**
 * Runs a server for the client that started this command, and records what they say to each other. Stdout has only the
 * bytes of the server.
 * @throws {PassedOnExit} with the exit code of the server. @throws {CommandError} if it cannot be started.
 */
export async function tapCommand(command: readonly string[], options: TapOptions): Promise<void> {
  const target: Target = { kind: "command", name: command[0] ?? "" };
  const record = new WireRecord();
  startRecording(record, target, options.record);
  const recorder = new TapRecorder(record);
  const page = options.port === undefined && !options.open ? undefined : showPage(record, target, options);
  const decoder = new StringDecoder();
  const exit = await relay(command, {
    sent: (chunk) => contain(() => recorder.sent(chunk)),
    received: (chunk) => contain(() => recorder.received(chunk)),
    stderr: (chunk) => void page?.then((inspector) => inspector?.stderr(decoder.write(chunk))),
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
  { port, open }: TapOptions,
): Promise<Inspector | undefined> {
  try {
    const [{ startInspector }, { createFileHandlers }, { announce }] = await Promise.all([
      import("../inspector.ts"),
      import("../file-handlers.ts"),
      import("../announce.ts"),
    ]);
    const inspector = await startInspector({
      target,
      abilities: { source: false, calls: false, keepsHistory: false, saves: false },
      record,
      port,
      handlers: (started) => createFileHandlers(started, target, undefined),
    });
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
