import { parsePairs } from "../client/arguments.ts";
import { type TalkFlags, withClient } from "../client/connect-target.ts";
import { showBlock } from "../client/show-content.ts";
import type { TargetArguments } from "../client/target.ts";
import { print, printJson, stylesFor } from "../terminal/terminal.ts";

export interface PromptFlags extends TalkFlags {
  readonly arg: readonly string[];
}

/** Gets a prompt and prints its messages. */
export async function prompt({ target, words: [name = ""] }: TargetArguments, flags: PromptFlags): Promise<void> {
  const values = Object.fromEntries(parsePairs(flags.arg, "--arg"));
  const result = await withClient(target, flags, (client) => client.get(name, values));
  if (flags.json) {
    printJson(result);
    return;
  }
  const { dim } = stylesFor(process.stdout);
  const messages = result.messages.map(({ role, content }) => `${dim(`${role}:`)} ${showBlock(content)}`);
  print(messages.join("\n"));
}
