import { findLosses, type Profile, toolsSeenBy } from "proffer/profiles";
import type { TargetArguments } from "../client/arguments.ts";
import { profilesOf } from "../client/choice-flags.ts";
import { type TalkFlags, withServer } from "../client/connect-target.ts";
import { formatListing, type Listing, listAll, withDetails } from "../terminal/listing.ts";
import { currentShell } from "../terminal/shell.ts";
import { print, printJson, say, stylesFor } from "../terminal/terminal.ts";
import { text } from "../terminal/text.ts";

interface ListFlags extends TalkFlags {
  /** The id of a client profile. */
  readonly as?: string;
}

/** Prints the tools, prompts and resources of a server, or what the model of a client sees of them. */
export async function list({ target }: TargetArguments, flags: ListFlags): Promise<void> {
  const [profile] = flags.as === undefined ? [] : profilesOf("--as", flags.as);
  const { listing, own, name } = await withServer(
    target,
    { ...identityOf(profile), ...flags },
    async (server, own) => ({
      listing: await listAll(server, server.capabilities),
      own,
      name: server.serverName,
    }),
  );
  const shown = profile === undefined ? listing : seenBy(profile, name, listing);
  if (flags.json) printJson(own === undefined || profile ? shown : withDetails(shown, own));
  else print(formatListing(shown, stylesFor(currentShell().stdout), own));
}

/** The name and the revision of a client. */
function identityOf(profile: Profile | undefined): Pick<TalkFlags, "info" | "revision"> {
  if (profile === undefined) return {};
  const [name = profile.id] = profile.names;
  const info = { name: name.replace("*", ""), version: "1" };
  return { info, ...(profile.revision !== undefined && { revision: profile.revision.value }) };
}

function seenBy(profile: Profile, server: string, listing: Listing): Listing {
  const { dim } = stylesFor(currentShell().stderr);
  for (const { tool, effect, what } of findLosses(profile, server, listing.tools)) {
    say(text`${dim("note:")} ${tool}: ${profile.title} ${effect} ${what}`);
  }
  const tools = toolsSeenBy(profile, server, listing.tools).map(({ original: _, ...tool }) => tool);
  const isRead = profile.resources?.value ?? true;
  if (!isRead) say(text`${dim("note:")} The model cannot read resources: ${profile.resources?.text ?? ""}`);
  return isRead ? { ...listing, tools } : { ...listing, tools, resources: [], resourceTemplates: [] };
}
