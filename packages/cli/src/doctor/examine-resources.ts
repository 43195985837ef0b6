import type { Finding } from "./finding.ts";
import { findingAt, type Offer } from "./offer.ts";

/** Finds resources that a model never sees if its client can neither read resources nor be given a tool for them. */
export function examineResources(offer: Offer): Finding[] {
  return (offer.missingTools ?? []).map(({ resource: { uri }, reason }) =>
    findingAt(
      offer,
      ["resource", uri],
      "PF4090",
      `${reason} Clients that cannot read resources do not see it.`,
      "Rename the resource or one of the tools.",
    ),
  );
}
