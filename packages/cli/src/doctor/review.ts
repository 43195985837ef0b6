import { examineCode } from "./examine-code.ts";
import { examineCost, readBudget } from "./examine-cost.ts";
import { examineParameters } from "./examine-parameters.ts";
import { examineSchemas } from "./examine-schemas.ts";
import { examineTexts } from "./examine-texts.ts";
import type { Finding } from "./finding.ts";
import { findingAt, type Offer } from "./offer.ts";

/** Reads a server as an editor would: its cost, its texts, its schemas and its code. Nothing is called. */
export function review(offer: Offer): Finding[] {
  const budget = offer.module === undefined ? {} : readBudget(offer.module);
  const isInvalid = "level" in budget;
  const cost = examineCost(offer, isInvalid ? {} : budget);
  const examine = [examineTexts, examineParameters, examineSchemas, examineCode, examineResources];
  const advice = examine.flatMap((each) => each(offer));
  const all = [...(isInvalid ? [budget] : []), ...cost, ...advice];
  if (advice.length > 0) return all;
  // A built folder has no sources.
  const read = offer.sources.length === 0 ? "Texts, parameters and schemas" : "Texts, parameters, schemas and code";
  return [...all, { level: "good", message: `${read} need no change for a model.` }];
}

/** Finds resources that a model never sees if its client can neither read resources nor be given a tool for them. */
function examineResources(offer: Offer): Finding[] {
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
