import { type TalkFlags, withServer } from "../client/connect-target.ts";
import type { TargetArguments } from "../client/target.ts";
import { listAll } from "../terminal/listing.ts";
import { formatListing } from "../terminal/listing-text.ts";
import { print, printJson, stylesFor } from "../terminal/terminal.ts";

/** Prints the tools, prompts and resources of a server. */
export async function list({ target }: TargetArguments, flags: TalkFlags): Promise<void> {
  const listing = await withServer(target, flags, (server) => listAll(server, server.capabilities));
  if (flags.json) printJson(listing);
  else print(formatListing(listing, stylesFor(process.stdout)));
}
