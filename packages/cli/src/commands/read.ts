import { type TalkFlags, withClient } from "../client/connect-target.ts";
import { showContents } from "../client/show-content.ts";
import type { TargetArguments } from "../client/target.ts";
import { print, printJson } from "../terminal/terminal.ts";

/** Reads a resource and prints its contents. */
export async function read({ target, words: [uri = ""] }: TargetArguments, flags: TalkFlags): Promise<void> {
  const result = await withClient(target, flags, (client) => client.read(uri));
  if (flags.json) printJson(result);
  else print(result.contents.map(showContents).join("\n"));
}
