import type { Json } from "../../protocol/json.ts";
import { branchOf } from "./branch.ts";
import type { Field } from "./field.ts";
import { fits } from "./fits.ts";
import { childrenOf, hiddenMembers } from "./members.ts";
import { memberOf } from "./path.ts";

const MAX_VISITS = 20_000;

/** Counts the values that only the JSON shows. */
export function countHidden(field: Field, value: Json | undefined): number {
  let visits = 0;

  function count(field: Field, value: Json | undefined): number {
    if (value === undefined || value === null || ++visits > MAX_VISITS || !fits(field, value)) return 0;
    if (field.kind === "union") {
      const branch = field.branches[branchOf(field, value) ?? -1];
      return branch === undefined ? 0 : count(branch.field(), value);
    }
    let total = hiddenMembers(field, value).length;
    for (const [step, child] of childrenOf(field, value)) total += count(child, memberOf(value, step));
    return total;
  }

  return count(field, value);
}
