import { capabilitiesOf, type TalkFlags, withClient } from "../client/connect-target.ts";
import type { Addressed } from "../client/target.ts";
import { listOffer } from "../terminal/offer.ts";
import { formatOffer } from "../terminal/offer-text.ts";
import { print, printJson, stylesFor } from "../terminal/terminal.ts";

/** Prints what a server has. */
export async function list({ target }: Addressed, flags: TalkFlags): Promise<void> {
  const offer = await withClient(target, flags, (client) => listOffer(client, capabilitiesOf(client)));
  if (flags.json) printJson(offer);
  else print(formatOffer(offer, stylesFor(process.stdout)));
}
