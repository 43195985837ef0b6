import { examineCode } from "./examine-code.ts";
import { examineCost, readBudget } from "./examine-cost.ts";
import { examineParameters } from "./examine-parameters.ts";
import { examineResources } from "./examine-resources.ts";
import { examineSchemas } from "./examine-schemas.ts";
import { examineTexts } from "./examine-texts.ts";
import type { Finding } from "./finding.ts";
import type { Offer } from "./offer.ts";

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
