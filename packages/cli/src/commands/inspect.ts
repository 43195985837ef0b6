import { resolve } from "node:path";
import type { Server } from "proffer";
import { type HeldServer, holdServer, overrideOptions } from "proffer/derived";
import { formatLog } from "proffer/stdio";
import { type HeaderFlags, toHeaders } from "../client/headers.ts";
import { type LimitFlags, toLimits } from "../client/limits.ts";
import { nameOfTarget, type Target, type TargetArguments } from "../client/target.ts";
import { readCode } from "../doctor/read-code.ts";
import { announce } from "../inspector/announce.ts";
import { traceServer } from "../inspector/calls/trace.ts";
import { type Opener, openCommandLinks, openServerLinks, openUrlLinks } from "../inspector/connections/opener.ts";
import { createFileHandlers } from "../inspector/file-handlers.ts";
import { type KeptHistory, openHistory, openKeptHistory } from "../inspector/history-handlers.ts";
import { type InspectorOptions, startInspector } from "../inspector/inspector.ts";
import { ModuleSource } from "../inspector/module-source.ts";
import { toPort } from "../inspector/port-flag.ts";
import { Mask } from "../inspector/record/mask.ts";
import { WireRecord } from "../inspector/record/record.ts";
import { readRecording } from "../inspector/recording/read-recording.ts";
import { openServer } from "../modules/load.ts";
import { findModule } from "../modules/module-file.ts";
import { CommandError, WrongUsage } from "../terminal/command-error.ts";
import { reportDiagnostics } from "../terminal/diagnostic-report.ts";
import { say, stylesFor } from "../terminal/terminal.ts";
import { Text, text } from "../terminal/text.ts";
import { requireOwnProcess } from "./transport-flags.ts";

export interface InspectFlags extends HeaderFlags, LimitFlags {
  readonly port?: string;
  readonly open?: boolean;
  readonly keep?: boolean;
}

interface Prepared extends Omit<InspectorOptions, "port"> {
  /** Runs when the inspector has ended. */
  readonly release?: () => Promise<void>;
}

/**
 * Shows a server, or a recording, in the browser until the process is stopped.
 * @throws {CommandError} if the module cannot be loaded, or the file is no recording.
 */
export async function inspect({ target }: TargetArguments, flags: InspectFlags): Promise<void> {
  const port = toPort(flags.port);
  const headers = toHeaders(flags, target);
  const { maxBytes } = toLimits(flags);
  const name = nameOfTarget(target);
  requireOwnProcess();
  const history = flags.keep ? keepHistory(target) : undefined;
  const record = new WireRecord(new Mask(headers));
  const { release, ...prepared } = await prepare(target, name, record, headers, maxBytes, history);
  const inspector = await startInspector({ ...prepared, port });
  announce(inspector, { port, open: flags.open, keys: true });
  await inspector.started;
  const { state, message = "", remedy = "" } = inspector.connection();
  const { red } = stylesFor(process.stderr);
  if (state === "failed") say(text`${red("✗")} ${Text.redact(Text.line(message))}\n  ${remedy}`);
  await untilStopped();
  await inspector.close();
  await release?.();
}

/** Keeps the history of a target that has no project. @throws {WrongUsage} for others. @throws {CommandError} */
function keepHistory(target: Target): KeptHistory {
  if (target.kind === "module") {
    const reason = target.file.endsWith(".jsonl")
      ? "a recording makes no calls"
      : "the history of a module is kept anyway, in .proffer/inspector of its project";
    throw new WrongUsage(`--keep is for a URL or a command: ${reason}.`);
  }
  const { history, file } = openKeptHistory(target.kind === "url" ? target.url : target.command, warn);
  say(text`The history is kept in ${file}.`);
  return history;
}

async function prepare(
  target: Target,
  name: string,
  record: WireRecord,
  headers: { readonly [name: string]: string },
  maxBytes: number,
  history: KeptHistory | undefined,
): Promise<Prepared> {
  if (target.kind === "module") {
    return target.file.endsWith(".jsonl") ? prepareRecording(target.file, record) : prepareModule(target, record);
  }
  const opener =
    target.kind === "url" ? openUrlLinks(target.url, headers, maxBytes) : openCommandLinks(target.command, maxBytes);
  return prepareOther(target, name, record, opener, history);
}

function prepareOther(
  target: Target,
  name: string,
  record: WireRecord,
  opener: Opener,
  history = openHistory(undefined, warn),
): Prepared {
  const shown = { kind: target.kind, name };
  const url = target.kind === "url" ? () => target.url : () => undefined;
  return {
    target: shown,
    abilities: { source: false, calls: true, keepsHistory: history.isKept, saves: target.kind === "module" },
    opener,
    record,
    onCall: history.onCall,
    handlers: (inspector) => ({
      ...createFileHandlers(inspector, shown, { target, url }),
      ...history.handlers(inspector.send),
    }),
  };
}

async function prepareModule(target: Target & { kind: "module" }, record: WireRecord): Promise<Prepared> {
  const { file } = target;
  const { server, held, hasSource } = await openModule(file);
  overrideOptions(server, { development: true });
  const other = prepareOther(target, file, record, openServerLinks(server), openHistory(resolve(file), warn));
  const source = new ModuleSource(findModule(file));
  let code: ReturnType<typeof readCode> | undefined;
  let located = () => {};
  /** The module is loaded once, so its code is read once: for the first page that asks, because it takes a second or two. */
  const read = () => {
    code ??= readCode(file).then((found) => {
      if (hasSource) source.update(found.files, found.positions());
      located();
      return found;
    });
    return code;
  };
  return {
    ...other,
    abilities: { ...other.abilities, source: hasSource },
    trace: traceServer(server),
    release: () => held.stop(),
    module: { file: resolve(file), server, readCode: read },
    ...(hasSource && { places: source }),
    handlers(inspector) {
      located = () => inspector.offers.relocate();
      return {
        ...other.handlers?.(inspector),
        ...(hasSource && {
          async source({ kind, key }) {
            await read();
            return source.view(kind, key);
          },
          open: (place) => source.open(place),
        }),
      };
    },
  };
}

interface OpenedModule {
  readonly server: Server;
  readonly held: HeldServer;
  /** Whether its items come from code that can be shown. */
  readonly hasSource: boolean;
}

/** Loads and starts a module. @throws {CommandError} with the reason if it fails. */
async function openModule(file: string): Promise<OpenedModule> {
  const { server, load, prepared } = await openServer(file, { warn });
  reportDiagnostics(prepared?.diagnostics ?? []);
  await load?.();
  await formatLog();
  const held = holdServer(server);
  try {
    await held.start();
  } catch (error) {
    throw new CommandError(Text.block((error as Error).message), { cause: error });
  }
  // A server that is written out has no types to derive from, and a built folder no code.
  return { server, held, hasSource: prepared !== undefined && prepared.form !== "server" };
}

async function prepareRecording(file: string, record: WireRecord): Promise<Prepared> {
  const { header, messages, problems } = await readRecording(file);
  for (const problem of problems) warn(problem);
  for (const lane of header.lanes) record.setLane(lane);
  for (const message of messages) record.restore(message);
  const target = { kind: "recording", name: file } as const;
  return {
    target,
    abilities: { source: false, calls: false, keepsHistory: false, saves: false },
    record,
    handlers: (inspector) => createFileHandlers(inspector, target, undefined),
  };
}

function warn(message: string): void {
  say(text`warning: ${message}`);
}

function untilStopped(): Promise<unknown> {
  return new Promise((resolve) => {
    process.once("SIGINT", resolve);
    process.once("SIGTERM", resolve);
  });
}
