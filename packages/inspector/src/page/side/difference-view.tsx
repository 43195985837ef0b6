import type { VNode } from "preact";
import type { Json } from "../../protocol/json.ts";
import type { Difference } from "../text/differences.ts";
import { visible } from "../text/visible.ts";

const MAX_SHOWN = 2000;

/** One place where two values differ. Signs and words say it too: colors are not alone. */
export function DifferenceView({ difference }: { readonly difference: Difference }): VNode {
  const { pointer, before, after } = difference;
  return (
    <div class="difference code">
      <div class="pointer">{visible(pointer || "the whole value")}</div>
      {before !== undefined && (
        <del>
          <span aria-hidden="true">− </span>
          {shown(before)}
        </del>
      )}
      {after !== undefined && (
        <ins>
          <span aria-hidden="true">+ </span>
          {shown(after)}
        </ins>
      )}
    </div>
  );
}

function shown(value: Json): string {
  const text = JSON.stringify(value, null, 2);
  return visible(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);
}
