import { type TalkFlags, withServer } from "../client/connect-target.ts";
import { resultPlace, showContents } from "../client/show-content.ts";
import type { TargetArguments } from "../client/target.ts";
import { print, printJson } from "../terminal/terminal.ts";
import { Text } from "../terminal/text.ts";

/** Reads a resource and prints its contents. */
export async function read({ target, words: [uri = ""] }: TargetArguments, flags: TalkFlags): Promise<void> {
  const result = await withServer(target, flags, (server) => server.read(uri));
  if (flags.json) {
    printJson(result);
    return;
  }
  const place = resultPlace();
  const shown = result.contents.map((contents) => showContents(contents, place));
  print(Text.join(shown, "\n"));
}
