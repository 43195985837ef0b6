import type { Server } from "proffer";
import { overrideOptions } from "proffer/derived";
import { type Choice, chooseItems, serveProcess } from "proffer/process";
import type { Derivation } from "../derive/index.ts";
import { startCompiler } from "../dev/compiler-thread.ts";
import { createLiveServer, type LiveServer } from "../dev/live-server.ts";
import { type DevObserver, formatEdit, reportCalls } from "../dev/report.ts";
import { openVersions, type Version, type Versions } from "../dev/versions.ts";
import { watchProject } from "../dev/watch.ts";
import { whileDeriving } from "../modules/derive-module.ts";
import { listServer } from "../modules/load.ts";
import { findModule } from "../modules/module-file.ts";
import { CommandError, explainUsage } from "../terminal/command-error.ts";
import { countErrors, reportAll, reportDiagnostics } from "../terminal/diagnostic-report.ts";
import { formatListing } from "../terminal/listing.ts";
import { say, stylesFor } from "../terminal/terminal.ts";
import { Text, text } from "../terminal/text.ts";
import { DEV_FLAGS, parseServeArguments, prepare } from "./transport-flags.ts";

/**
 * Serves a module and applies its edits until the client disconnects or the process is stopped.
 * @param words - the module and the flags
 * @param rest - the server's own arguments
 * @throws {CommandError} if the first version cannot be served.
 */
export async function dev(
  words: readonly string[],
  rest: readonly string[] = [],
  given: DevObserver = {},
): Promise<void> {
  const { file, serving, inspect } = parseServeArguments(words, DEV_FLAGS);
  // Applied to each version, not once to the server that presents them.
  const { choice, ...transports } = serving;
  await prepare(serving, rest);
  // The inspector is loaded only if it is wanted.
  const inspector = inspect && (await import("../inspect/dev.ts"));
  const keys = serving.http !== undefined;
  const { onStart, onListening, onEdit } = inspector?.inspectDev(file, { ...inspect, keys }) ?? given;
  const versions = openVersions(file, startCompiler(findModule(file)));
  process.once("exit", () => versions.clear());
  const begin = Date.now();
  const cached = await explainUsage(versions.cached());
  const first = cached ?? (await explainUsage(whileDeriving(file, () => versions.next())));
  reportAll(first.derivation.diagnostics);
  reportErrors(first.derivation);
  await choose(first.server, choice);
  const live = createLiveServer(first.server, reportCalls);
  let current = first.server;
  await live.start(first.server);
  onStart?.({ server: live.server, first, versions });
  // A list may be code, and the first response must not wait for its import.
  const shown = listServer(first.server).then((listing) =>
    say(formatListing(listing, stylesFor(process.stderr), first.server)),
  );
  if (cached === undefined) await shown;
  // If the import fails, the process stops with the reason.
  else shown.catch(() => {});

  const applyEdit = async () => {
    const started = performance.now();
    const next = await tryNext(versions, live, choice, (error) => {
      onEdit?.({ how: "broken", error, files: versions.files });
    });
    watch.setFiles(versions.files);
    if (next === undefined) return;
    const difference = live.follow(next.server);
    reportDiagnostics(next.derivation.diagnostics);
    reportErrors(next.derivation);
    const edit = { before: current, after: next.server, difference, milliseconds: performance.now() - started };
    say(formatEdit(edit, stylesFor(process.stderr)));
    const { diagnostics } = next.derivation;
    const positions = () => versions.positions();
    onEdit?.({ how: "applied", ...edit, diagnostics, files: versions.files, positions });
    current = next.server;
  };
  // An edit during the confirmation is applied after it.
  let work = Promise.resolve();
  const inOrder = (task: () => Promise<void>) => {
    work = work.then(task);
    return work;
  };
  const watch = watchProject(versions.files, begin, (paths) =>
    inOrder(async () => {
      // The confirmation of the cached version may have found this edit first.
      if (!versions.hasRead(paths)) await applyEdit();
    }),
  );

  const { load } = first;
  const { dim } = stylesFor(process.stderr);
  const served = explainUsage(
    serveProcess(overrideOptions(live.server, { development: serving.errors !== "masked" }), {
      ...transports,
      ...(load && { load }),
      listening: ({ url }) => {
        say(text`\nListening at ${url}; watching ${file} for edits.`);
        onListening?.(url);
        if (inspect === undefined) say(dim("To look at it in the browser, add --inspect."));
      },
    }),
  );
  if (cached !== undefined) {
    void inOrder(async () => {
      // The compiler may fail to load. Then the next version reports the reason.
      if (!(await versions.confirm().catch(() => false))) await applyEdit();
      else watch.setFiles(versions.files);
    });
  }
  await served;
}

/** Applies the flags to a version. @throws {CommandError} if it lacks a name of them. */
async function choose(version: Server, choice: Choice | undefined): Promise<void> {
  if (choice !== undefined) await explainUsage(chooseItems([version], choice));
}

/** Says that functions are missing, because the lists below the diagnostics look complete. */
function reportErrors(derivation: Pick<Derivation, "diagnostics">): void {
  const count = countErrors(derivation);
  if (count === 0) return;
  const errors = count === 1 ? "1 error" : `${count} errors`;
  const { red } = stylesFor(process.stderr);
  say(text`${red("✗")} ${errors}. Functions with errors are not served; serve and build refuse the whole module.`);
}

/**
 * Loads and starts the next version. If it is broken, or lacks a name in the flags, prints the error and returns
 * undefined: the last good version stays active.
 */
async function tryNext(
  versions: Versions,
  live: LiveServer,
  choice: Choice | undefined,
  onBroken: (error: unknown) => void,
): Promise<Version | undefined> {
  try {
    const next = await explainUsage(versions.next());
    await choose(next.server, choice);
    await live.start(next.server);
    return next;
  } catch (error) {
    const { red } = stylesFor(process.stderr);
    const message = error instanceof CommandError ? error.text : Text.block((error as Error)?.stack ?? String(error));
    say(text`${red("✗")} ${Text.redact(message)}\nThe last good version stays active.`);
    onBroken(error);
    return undefined;
  }
}
