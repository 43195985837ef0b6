import { parsePairs } from "../client/arguments.ts";
import { type TalkFlags, withServer } from "../client/connect-target.ts";
import { resultPlace, showBlock } from "../client/show-content.ts";
import type { TargetArguments } from "../client/target.ts";
import { currentShell } from "../terminal/shell.ts";
import { print, printJson, stylesFor } from "../terminal/terminal.ts";
import { Text, text } from "../terminal/text.ts";

export interface PromptFlags extends TalkFlags {
  readonly arg: readonly string[];
}

/** Gets a prompt and prints its messages. */
export async function prompt({ target, words: [name = ""] }: TargetArguments, flags: PromptFlags): Promise<void> {
  const values = Object.fromEntries(parsePairs(flags.arg, "--arg"));
  const result = await withServer(target, flags, (server) => server.get(name, values));
  if (flags.json) {
    printJson(result);
    return;
  }
  const { dim } = stylesFor(currentShell().stdout);
  const place = resultPlace("  ");
  const messages = result.messages.map(({ role, content }) => text`${dim(`${role}:`)} ${showBlock(content, place)}`);
  print(Text.join(messages, "\n"));
}
