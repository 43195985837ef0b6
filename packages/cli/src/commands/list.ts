import { capabilitiesOf, type TalkFlags, withClient } from "../client/connect-target.ts";
import type { Addressed } from "../client/target.ts";
import { listOffer } from "../offer.ts";
import { formatOffer } from "../offer-text.ts";
import { print, printJson, stylesFor } from "../terminal.ts";

/** Prints what a server has. */
export async function list({ target }: Addressed, flags: TalkFlags): Promise<void> {
  const offer = await withClient(target, flags, (client) => listOffer(client, capabilitiesOf(client)));
  if (flags.json) printJson(offer);
  else print(formatOffer(offer, stylesFor(process.stdout)));
}
