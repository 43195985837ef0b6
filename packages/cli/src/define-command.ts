import type { Command } from "commander";

export const MODULE = "a TypeScript or JavaScript file";

/** Adds a command with its summary and examples. */
export function define(program: Command, name: string, summary: string, examples: readonly string[]): Command {
  const lines = examples.map((example) => `  proffer ${name} ${example}`);
  return program
    .command(name)
    .summary(summary)
    .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`)
    .showHelpAfterError(`Example: proffer ${name} ${examples[0]}`)
    .addHelpText("after", `\nExamples:\n${lines.join("\n")}`);
}

/** Collects the values of an option that can be repeated. */
export function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}
