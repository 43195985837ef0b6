import { once } from "node:events";
import { resolve } from "node:path";
import { type InspectorHost, startInspector } from "@proffer/inspector";
import { nameOfTarget, type Target, type TargetArguments } from "../client/arguments.ts";
import { type HeaderFlags, toHeaders } from "../client/headers.ts";
import { type LimitFlags, toLimits } from "../client/limits.ts";
import { readCode } from "../doctor/review.ts";
import { announce } from "../inspect/announce.ts";
import { type HistoryFile, openHistory, openKeptHistory } from "../inspect/history-file.ts";
import { createHost } from "../inspect/host.ts";
import { ModuleSource } from "../inspect/module-source.ts";
import { linkAddress, linkProcess, linkServer } from "../inspect/server-links.ts";
import { traceServer } from "../inspect/trace.ts";
import { entryOf } from "../modules/copies.ts";
import { openServer } from "../modules/load.ts";
import { findModule } from "../modules/module-file.ts";
import { Mask, WireRecord } from "../recordings/record.ts";
import { readRecording } from "../recordings/recording.ts";
import { CommandError, WrongUsage } from "../terminal/command-error.ts";
import { reportDiagnostics } from "../terminal/diagnostic-report.ts";
import { say, stylesFor, warn } from "../terminal/terminal.ts";
import { Text, text } from "../terminal/text.ts";
import { requireOwnProcess, toPort } from "./transport-flags.ts";

export interface InspectFlags extends HeaderFlags, LimitFlags {
  readonly port?: string;
  readonly open?: boolean;
  readonly keep?: boolean;
}

interface Prepared {
  readonly host: InspectorHost;
  /** Is called when the place of an item may have become known. */
  located?: () => void;
  /** Runs when the inspector has ended. */
  readonly release?: () => Promise<void>;
}

/**
 * Shows a server, or a recording, in the browser until the process is stopped.
 * @throws {CommandError} if the module cannot be loaded, or the file is no recording.
 */
export async function inspect({ target }: TargetArguments, flags: InspectFlags): Promise<void> {
  const port = flags.port === undefined ? undefined : toPort("--port", flags.port);
  const prepared = await prepare(target, flags);
  const inspector = await startInspector(prepared.host, port);
  prepared.located = () => inspector.relocate();
  announce(inspector, { port, open: flags.open, keys: true });
  await inspector.started;
  const { state, message = "", remedy = "" } = inspector.connection();
  const { red } = stylesFor(process.stderr);
  if (state === "failed") say(text`${red("✗")} ${Text.redact(Text.line(message))}\n  ${remedy}`);
  await Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  await inspector.close();
  await prepared.release?.();
}

async function prepare(target: Target, flags: InspectFlags): Promise<Prepared> {
  const headers = toHeaders(flags, target);
  const { maxBytes } = toLimits(flags);
  requireOwnProcess();
  const history = flags.keep ? keepHistory(target) : undefined;
  const record = new WireRecord(new Mask(headers));
  if (target.kind === "module") {
    return target.file.endsWith(".jsonl") ? prepareRecording(target.file, record) : prepareModule(target.file, record);
  }
  const shared = { target: { kind: target.kind, name: nameOfTarget(target) }, command: target, record, history };
  if (target.kind === "command") {
    return { host: createHost({ ...shared, links: linkProcess(target.command, maxBytes) }) };
  }
  const { url } = target;
  return { host: createHost({ ...shared, address: () => url, links: linkAddress(url, headers, maxBytes) }) };
}

/** Keeps the history of a target that has no project. @throws {WrongUsage} for others. @throws {CommandError} */
function keepHistory(target: Target): HistoryFile {
  if (target.kind === "module") {
    const reason = target.file.endsWith(".jsonl")
      ? "a recording makes no calls"
      : "the history of a module is kept anyway, in .proffer/inspector of its project";
    throw new WrongUsage(`--keep is for a URL or a command: ${reason}.`);
  }
  const history = openKeptHistory(target.kind === "url" ? target.url : target.command, warn);
  say(text`The history is kept in ${history.path}.`);
  return history;
}

async function prepareModule(file: string, record: WireRecord): Promise<Prepared> {
  const { server, running, hasSource } = await openModule(file);
  const { overrideOptions, connectMemory } = await entryOf(server, "proffer/derived");
  overrideOptions(server, { development: true });
  const path = resolve(file);
  let code: ReturnType<typeof readCode> | undefined;
  /** The module is loaded once, so its code is read once: for the first page that asks, because it takes a second or two. */
  const read = () => {
    code ??= readCode(file).then((found) => {
      source?.update(found.files, found.positions());
      prepared.located?.();
      return found;
    });
    return code;
  };
  const source = hasSource ? new ModuleSource(findModule(file), read) : undefined;
  const prepared: Prepared = {
    host: createHost({
      target: { kind: "module", name: file },
      command: { kind: "module", file },
      links: linkServer(server, connectMemory),
      trace: traceServer(server, overrideOptions),
      history: openHistory(path, warn),
      module: { file: path, server, readCode: read },
      record,
      source,
    }),
    release: () => running.stop(),
  };
  return prepared;
}

/** Loads and starts a module. @throws {CommandError} with the reason if it fails. */
async function openModule(file: string) {
  const { server, load, prepared } = await openServer(file, { warn });
  reportDiagnostics(prepared?.diagnostics ?? []);
  await load?.();
  (await entryOf(server, "proffer/process")).formatLog();
  const { runInBackground } = await entryOf(server, "proffer/derived");
  const running = runInBackground(server);
  try {
    await running.start();
  } catch (error) {
    throw new CommandError(Text.block((error as Error).message), { cause: error });
  }
  // A server that is written out has no types to derive from, and a built folder no code.
  return { server, running, hasSource: prepared !== undefined && prepared.form !== "server" };
}

async function prepareRecording(file: string, record: WireRecord): Promise<Prepared> {
  const { header, messages, problems } = await readRecording(file);
  for (const problem of problems) warn(problem);
  for (const lane of header.lanes) record.setLane(lane);
  for (const message of messages) record.restore(message);
  return { host: createHost({ target: { kind: "recording", name: file }, record }) };
}
