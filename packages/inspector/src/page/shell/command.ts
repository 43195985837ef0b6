import type { Target } from "../../protocol/offer.ts";

/** The command that starts the inspector of a target again. */
export function commandFor(target: Target | undefined): string {
  if (target === undefined) return "npx proffer dev <module> --inspect";
  if (target.kind === "dev") return `npx proffer dev ${target.name} --inspect`;
  return target.kind === "command" ? `npx proffer inspect -- ${target.name}` : `npx proffer inspect ${target.name}`;
}
