import type { Asked, ScriptedAnswer } from "proffer/testing";

/** Answers a question that nobody at the page could answer, as the protocol provides. */
export function declineQuestion({ method }: Asked): ScriptedAnswer {
  if (method === "elicitation/create") return "decline";
  if (method === "roots/list") return { roots: [] };
  throw new Error("The inspector answers this only during a call of the page.");
}
