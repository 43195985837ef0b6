import { reserveStdout } from "proffer/stdio";
import { serve } from "./commands/serve.ts";
import { CommandError, Interrupted, PassedOnExit } from "./terminal/command-error.ts";
import { currentShell, type Shell, withShell } from "./terminal/shell.ts";
import { flushOutput, prepareStatusLine, say, stylesFor, tolerateClosedPipes } from "./terminal/terminal.ts";
import { Text, text } from "./terminal/text.ts";

/**
 * Runs the command line and returns its exit code: 0, 1 for a failure, 2 for wrong usage, 130 after Ctrl-C.
 *
 * In a given shell, the command leaves this process as it is: streams, folder and variables are those of the shell.
 * Only the author's module, if the command imports it, sees those of the process. `serve`, `dev` and `inspect`, which
 * end with the process, need a separate process.
 * @param argv - the arguments, without the interpreter and the script.
 * @param shell - the place that the command is called from; parts that are absent, or all, are those of the process.
 */
export async function run(argv: readonly string[], shell?: Partial<Shell>): Promise<number> {
  if (shell !== undefined) return withShell(shell, () => exitCodeOf(perform(argv)));
  prepareStatusLine();
  // Stdout is for results: output of the user's module goes to stderr.
  reserveStdout();
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
  // The options of a command after `--` are not options of proffer.
  const end = argv.indexOf("--");
  const [words, command] = end === -1 ? [argv, undefined] : [argv.slice(0, end), argv.slice(end + 1)];
  const { createProgram } = await import("./program.ts");
  await createProgram(command).parseAsync(words, { from: "user" });
}

function isFromCommander(error: unknown): error is { readonly exitCode: number } {
  return error instanceof Error && "code" in error && String(error.code).startsWith("commander.");
}

function report(error: unknown): void {
  const { red } = stylesFor(currentShell().stderr);
  // Any other error than a CommandError is a bug in Proffer: show its stack trace, for a bug report.
  const { stack = String(error) } = error instanceof Error ? error : {};
  const message = error instanceof CommandError ? error.text : Text.block(stack);
  say(text`${red("error:")} ${Text.redact(message)}`, "error");
}
