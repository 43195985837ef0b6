import { type Command, Option } from "commander";
import { SERVE_FLAGS } from "proffer/flags";

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

/** For commands that import a module only to describe it, with placeholders for its settings. */
export function describedVariables(): Option {
  const help = "a variable for a module that does not accept placeholders of its settings; repeatable";
  return new Option("--env <name=value>", help).argParser(collect).default([]);
}

const CHOICE_FLAGS: readonly string[] = ["--toolsets", "--read-only", "--only", "--except"];

/** Adds the flags of `serve` that choose the shown items. */
export function withChoiceFlags(command: Command): Command {
  for (const flag of SERVE_FLAGS.filter(({ name }) => CHOICE_FLAGS.includes(name))) {
    const option = new Option("value" in flag ? `${flag.name} ${flag.value}` : flag.name, `of a module: ${flag.help}`);
    command.addOption("repeatable" in flag ? option.argParser(collect) : option);
  }
  return command;
}
