import type { Listing } from "../terminal/listing.ts";
import type { Finding } from "./finding.ts";

/** Claude accepts only parameter names of this form. */
const PROPERTY_NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/** Looks for names that a client rejects although the profiles of clients do not say so. */
export function examineListing({ tools }: Listing): Finding[] {
  return tools.flatMap(({ name, inputSchema }) => {
    const { properties = {} } = inputSchema as { readonly properties?: object };
    const rejected = Object.keys(properties).filter((property) => !PROPERTY_NAME.test(property));
    return rejected.map((property): Finding => {
      return {
        level: "warning",
        message: `The parameter ${property} of ${name} has a name that Claude rejects.`,
        remedy: "Use at most 64 letters, digits, _, - and dots.",
        item: { kind: "tool", key: name },
      };
    });
  });
}
