import { createRequire } from "node:module";
import process from "node:process";
import { Command, CommanderError } from "commander";
import { createColors } from "picocolors";
import { CommandError } from "./command-error.ts";

const exitCodes = `
Exit codes:
  0  success
  1  the command failed; the reason is on stderr
  2  wrong usage`;

/**
 * Runs the command line and resolves to its exit code: 0, 1 for a failure, 2 for wrong usage.
 * @param argv - the arguments, without the interpreter and the script.
 */
export async function run(argv: readonly string[]): Promise<number> {
  try {
    await createProgram().parseAsync([...argv], { from: "user" });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    report(error);
    return 1;
  }
}

function createProgram(): Command {
  const program = new Command("proffer")
    .description("Makes TypeScript applications available to AI clients over the Model Context Protocol.")
    .version(version())
    .showHelpAfterError("Run proffer --help for the commands.")
    .addHelpText("after", exitCodes)
    .exitOverride();

  program
    .command("serve")
    .summary("serve a module over stdio")
    .description(
      "Serves the default export of a module, a server made by defineServer, over stdin and stdout until the client is gone.\n" +
        "TypeScript needs no build. What the module prints goes to stderr.",
    )
    .argument("<module>", "a .ts, .mts, .js or .mjs file")
    .showHelpAfterError("Example: proffer serve server.ts")
    .action(async (file: string) => {
      const { serve } = await import("./commands/serve.ts");
      await serve(file);
    });

  return program;
}

function version(): string {
  return createRequire(import.meta.url)("../package.json").version;
}

function report(error: unknown): void {
  const { red } = createColors(process.stderr.isTTY && !process.env.NO_COLOR);
  // A CommandError explains itself; anything else is a fault of ours, and its stack is what a bug report needs.
  const text = error instanceof CommandError ? error.message : describe(error);
  process.stderr.write(`${red("error:")} ${text}\n`);
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
