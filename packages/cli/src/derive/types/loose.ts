import type { Conversion } from "../model/conversion.ts";

/** Reports that an input schema accepts values that the type does not. A looser output schema does no harm. */
export function reportLoose(conversion: Conversion, accepted: string): void {
  if (conversion.direction === "out") return;
  conversion.report(
    "PF2020",
    `${conversion.subject}: JSON Schema cannot express this type exactly, so the schema accepts ${accepted}. Check the value in the function, or use a simpler type.`,
  );
}
