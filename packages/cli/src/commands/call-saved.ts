import { withServer } from "../client/connect-target.ts";
import type { TargetArguments } from "../client/target.ts";
import { findModule } from "../modules/module-file.ts";
import { Answers, compareOutcomes, perform } from "../recordings/replay.ts";
import { readSavedCall } from "../recordings/saved-call.ts";
import { CommandError, WrongUsage } from "../terminal/command-error.ts";
import { print, printJson, say } from "../terminal/terminal.ts";
import { Text, text } from "../terminal/text.ts";
import type { CallFlags } from "./call.ts";
import { formatDifference } from "./replay.ts";

/**
 * Runs a call that was saved in the inspector, with the answers that were given.
 * @throws {CommandError} if its result differs from the saved one.
 */
export async function callSaved({ target }: TargetArguments, flags: CallFlags): Promise<void> {
  const { saved = "", arg, input } = flags;
  if (target.kind !== "module") throw new WrongUsage("--saved needs a module: saved calls are beside it, in inspect/.");
  if (arg.length > 0 || input !== undefined)
    throw new WrongUsage("--saved has arguments of its own. Remove --arg and --input.");
  const draft = readSavedCall(findModule(target.file), saved);
  const answers = new Answers();
  answers.begin(draft.answers);
  const revision = flags.revision ?? draft.revision;
  const again = await withServer(target, { ...flags, revision, answers: answers.next }, (server) =>
    perform(server, draft),
  );
  if (flags.json) printJson(again);
  else print(Text.json("result" in again ? again.result : again.error, 2));
  if (draft.result === undefined) return;
  const differences = compareOutcomes({ result: draft.result }, again, revision === draft.revision);
  if (differences.length === 0) return say(text`The result is the saved one.`);
  const shown = Text.join(differences.map(formatDifference), "\n");
  throw new CommandError(text`The result differs from the saved one:\n${shown}`);
}
