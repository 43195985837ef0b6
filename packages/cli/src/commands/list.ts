import { type TalkFlags, withServer } from "../client/connect-target.ts";
import type { TargetArguments } from "../client/target.ts";
import { withScopes } from "../terminal/item-scopes.ts";
import { listAll } from "../terminal/listing.ts";
import { formatListing } from "../terminal/listing-text.ts";
import { print, printJson, stylesFor } from "../terminal/terminal.ts";

/** Prints the tools, prompts and resources of a server. */
export async function list({ target }: TargetArguments, flags: TalkFlags): Promise<void> {
  const { listing, own } = await withServer(target, flags, async (server, own) => ({
    listing: await listAll(server, server.capabilities),
    own,
  }));
  if (flags.json) printJson(own === undefined ? listing : withScopes(listing, own));
  else print(formatListing(listing, stylesFor(process.stdout), own));
}
