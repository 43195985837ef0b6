import type { TargetArguments } from "../client/arguments.ts";
import { type TalkFlags, withServer } from "../client/connect-target.ts";
import { findModule } from "../modules/module-file.ts";
import { readRecording } from "../recordings/recording.ts";
import {
  Answers,
  compareOutcomes,
  findCalls,
  type JsonDifference,
  perform,
  type Replayed,
  replay as replayCalls,
} from "../recordings/replay.ts";
import { readSavedCall } from "../recordings/saved-call.ts";
import { CommandError, WrongUsage } from "../terminal/command-error.ts";
import { currentShell } from "../terminal/shell.ts";
import { print, printJson, say, stylesFor, warn } from "../terminal/terminal.ts";
import { Text, text } from "../terminal/text.ts";
import type { CallFlags } from "./call.ts";

export interface ReplayFlags extends TalkFlags {
  readonly effects?: boolean;
}

/**
 * Makes the calls of a recording again and shows the differences.
 * @throws {CommandError} if a result differs.
 */
export async function replay(file: string, { target }: TargetArguments, flags: ReplayFlags): Promise<void> {
  const { messages, problems } = await readRecording(file);
  for (const problem of problems) warn(problem);
  const calls = findCalls(messages);
  if (calls.length === 0) throw new CommandError(`${file} has no calls of tools, resources or prompts.`);
  const answers = new Answers();
  const options = { effects: flags.effects === true, revision: flags.revision };
  const replayed = await withServer(target, { ...flags, answers: answers.next }, async (server, requests) => {
    const all: Replayed[] = [];
    for await (const each of replayCalls(calls, server, answers, { ...options, ...requests })) {
      all.push(each);
      if (!flags.json) print(format(each));
    }
    return all;
  });
  if (flags.json) printJson(replayed);
  const count = (verdict: Replayed["verdict"]) => replayed.filter((each) => each.verdict === verdict).length;
  const summary = `${count("same")} the same, ${count("different")} different, ${count("skipped")} skipped`;
  if (count("different") > 0) throw new CommandError(`The server answers differently: ${summary}.`);
  say(text`${summary}.`);
}

function format({ n, method, about, verdict, reason, differences = [] }: Replayed): Text {
  const { green, red, dim } = stylesFor(currentShell().stdout);
  const mark = { same: green("✓"), different: red("✗"), skipped: dim("–") }[verdict];
  const why = reason === undefined ? text`` : text`  ${dim(`skipped: ${reason}`)}`;
  const line = text`${mark} ${dim(String(n))} ${method} ${about}${why}`;
  return Text.join([line, ...differences.map(formatDifference)], "\n");
}

/** Shows one difference: the place, the recorded value, and the value of now. */
function formatDifference({ pointer, before, after }: JsonDifference): Text {
  const { red, green } = stylesFor(currentShell().stdout);
  const side = (sign: string, value: JsonDifference["before"]) =>
    value === undefined ? text`${sign} (nothing)` : text`${sign} ${Text.json(value)}`;
  return text`    ${pointer || "/"}\n      ${red(side("-", before))}\n      ${green(side("+", after))}`;
}

/**
 * Runs a call that was saved in the inspector, with the answers that were given.
 * @throws {CommandError} if its result differs from the saved one.
 */
export async function callSaved({ target }: TargetArguments, flags: CallFlags): Promise<void> {
  const { saved = "", arg, input } = flags;
  if (target.kind !== "module") throw new WrongUsage("--saved needs a module: saved calls are beside it, in inspect/.");
  if (arg.length > 0 || input !== undefined)
    throw new WrongUsage("A saved call already has its arguments. Remove --arg and --input.");
  const draft = readSavedCall(findModule(target.file), saved);
  const answers = new Answers();
  answers.begin(draft.answers);
  const revision = flags.revision ?? draft.revision;
  const again = await withServer(target, { ...flags, revision, answers: answers.next }, (server, options) =>
    perform(server, draft, options),
  );
  if (flags.json) printJson(again);
  else print(Text.json("result" in again ? again.result : again.error, 2));
  if (draft.result === undefined) return;
  const differences = compareOutcomes({ result: draft.result }, again, revision === draft.revision);
  if (differences.length === 0) return say(text`The result is the saved one.`);
  const shown = Text.join(differences.map(formatDifference), "\n");
  throw new CommandError(text`The result differs from the saved one:\n${shown}`);
}
