import type { VNode } from "preact";
import type { Json } from "../../protocol/json.ts";
import { visible } from "../text/visible.ts";
import { branchOf } from "./branch.ts";
import type { Field } from "./field.ts";
import { FieldRow } from "./field-row.tsx";
import { fits } from "./fits.ts";
import { withBranch, withValue } from "./form-draft.ts";
import { type Placed, usePlace } from "./form-tools.ts";
import { initialOf } from "./initial.ts";
import { isObject, memberOf } from "./path.ts";

type UnionField = Extract<Field, { kind: "union" }>;

/** A choice of an alternative, and its fields below. */
export function UnionFields(placed: Placed): VNode {
  const { path, label } = placed;
  const field = placed.field as UnionField;
  const { form, value, fixed, pointer, control } = usePlace(placed);
  const isRoot = path.length === 0;
  const chosen = form.draft.branches?.[pointer];
  const isChosen = chosen !== undefined && value !== undefined && fits(field.branches[chosen]?.field() ?? field, value);
  const untouched = isRoot && field.tag === undefined && isEmpty(value) ? 0 : undefined;
  const index = isChosen ? chosen : (untouched ?? branchOf(field, value));
  const branch = index === undefined ? undefined : field.branches[index];

  function choose(text: string): void {
    form.update((draft) => {
      if (text === "" || text === "null") return withValue(draft, path, text === "" ? undefined : null);
      const next = Number(text);
      const child = field.branches[next]?.field();
      return child === undefined ? draft : withBranch(draft, path, next, carryOver(child, value));
    });
  }

  const select = (
    <select
      {...control}
      aria-label={isRoot ? "Kind of arguments" : `${label}: kind`}
      value={value === null ? "null" : (index ?? "")}
      onChange={(event) => choose(event.currentTarget.value)}
    >
      {(index === undefined || !(fixed || isRoot)) && <option value="">{isRoot ? "choose …" : "left out"}</option>}
      {field.branches.map((alternative, position) => (
        <option key={alternative.label} value={position}>
          {visible(alternative.label)}
        </option>
      ))}
      {field.nullable && <option value="null">null</option>}
    </select>
  );
  const fields =
    branch && form.draw({ field: branch.field(), path, label, required: placed.required, bare: true, fixed: true });
  if (isRoot) {
    return (
      <div class="members">
        {select}
        {fields}
      </div>
    );
  }
  return (
    <FieldRow placed={placed}>
      {select}
      {value !== undefined && value !== null && fields}
    </FieldRow>
  );
}

function isEmpty(value: Json | undefined): boolean {
  return value === undefined || (isObject(value) && Object.keys(value).length === 0);
}

/** Keeps the members that the new alternative has, too. */
function carryOver(field: Field, value: Json | undefined): Json {
  const initial = initialOf(field);
  if (field.kind !== "object" || !isObject(initial)) return fits(field, value) && value !== undefined ? value : initial;
  const kept = field.properties.flatMap(({ name, field: later }): [string, Json][] => {
    const member = memberOf(value, name);
    const isKept = member !== undefined && memberOf(initial, name) === undefined && fits(later(), member);
    return isKept ? [[name, member]] : [];
  });
  return { ...initial, ...Object.fromEntries(kept) };
}
