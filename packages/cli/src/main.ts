import { guardStdout } from "proffer/stdio";
import { serve } from "./commands/serve.ts";
import { CommandError, Interrupted, PassedOnExit } from "./terminal/command-error.ts";
import { currentShell, type Shell, withShell } from "./terminal/shell.ts";
import { prepareStatusLine } from "./terminal/status-line.ts";
import { flushOutput, say, stylesFor, tolerateClosedPipes } from "./terminal/terminal.ts";
import { Text, text } from "./terminal/text.ts";

/**
 * Runs the command line and returns its exit code: 0, 1 for a failure, 2 for wrong usage, 130 after Ctrl-C.
 *
 * In a shell of its own, the command leaves this process as it is: streams, folder and variables are those of the shell.
 * Only the author's module, if the command imports it, sees those of the process. `serve`, `dev` and `inspect`, which
 * end with the process, need one of their own.
 * @param argv - the arguments, without the interpreter and the script.
 * @param shell - the place that the command is called from; parts that are absent, or all, are those of the process.
 */
export async function run(argv: readonly string[], shell?: Partial<Shell>): Promise<number> {
  if (shell !== undefined) return withShell(shell, () => exitCodeOf(perform(argv)));
  prepareStatusLine();
  // Stdout is for results: output of the user's module goes to stderr.
  guardStdout();
  // The user's module must not take the command's arguments for its own. `serve` and `dev` add those after `--`.
  process.argv.splice(2);
  tolerateClosedPipes();
  const code = await exitCodeOf(perform(argv));
  // The launcher exits the process next, which would cut the output.
  return (await exitCodeOf(flushOutput())) || code;
}

async function exitCodeOf(work: Promise<void>): Promise<number> {
  try {
    await work;
    return 0;
  } catch (error) {
    if (isFromCommander(error)) return error.exitCode === 0 ? 0 : 2;
    // The user knows about Ctrl-C.
    if (!(error instanceof Interrupted || error instanceof PassedOnExit)) report(error);
    return error instanceof CommandError ? error.exitCode : 1;
  }
}

/** Runs `serve <module>`, the command that clients start and wait for, without loading the argument parser. */
async function perform(argv: readonly string[]): Promise<void> {
  const [name, file, ...others] = argv;
  if (name === "serve" && file !== undefined && !file.startsWith("-") && others.length === 0) {
    await serve([file]);
    return;
  }
  const { words, command } = splitCommand(argv);
  const { createProgram } = await import("./program.ts");
  await createProgram(command).parseAsync(words, { from: "user" });
}

function isFromCommander(error: unknown): error is { readonly exitCode: number } {
  return error instanceof Error && "code" in error && String(error.code).startsWith("commander.");
}

/** Splits off the command after `--`, so that its options are not parsed as options of proffer. */
function splitCommand(argv: readonly string[]): { words: string[]; command: string[] | undefined } {
  const end = argv.indexOf("--");
  if (end === -1) return { words: [...argv], command: undefined };
  return { words: argv.slice(0, end), command: argv.slice(end + 1) };
}

function report(error: unknown): void {
  const { red } = stylesFor(currentShell().stderr);
  // Any other error than a CommandError is a bug in Proffer: show its stack trace, for a bug report.
  const message = error instanceof CommandError ? error.text : Text.block(describe(error));
  say(text`${red("error:")} ${Text.redact(message)}`);
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
