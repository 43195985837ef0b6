import type { VNode } from "preact";
import type { Json } from "../../protocol/json.ts";
import type { Field } from "./field.ts";
import { fits } from "./fits.ts";
import { toggleBox, withValue } from "./form-draft.ts";
import { type Placed, usePlace } from "./form-tools.ts";
import { initialOf } from "./initial.ts";

type State = "left out" | "set" | "empty" | "null" | "JSON";

/** Left out, empty and null are three different things, and each can be chosen. */
export function StateSelect({ placed }: { readonly placed: Placed }): VNode | null {
  const { field, path, label } = placed;
  const { form, pointer, value, fixed } = usePlace(placed);
  if (field.kind === "json" || path.length === 0) return null;
  const isBox = form.draft.texts?.[pointer] !== undefined || !fits(field, value);
  const state = isBox ? "JSON" : stateOf(field, value);
  const states = statesOf(field, fixed || path.length === 0);
  // A choice has these states among its own.
  if (!isBox && (field.kind === "choice" || field.kind === "boolean")) return null;
  if (!states.includes(state)) states.push(state);
  if (!states.includes("JSON")) states.push("JSON");

  function choose(next: State): void {
    form.update((draft) => {
      if (next === "JSON") return toggleBox(draft, path, true);
      if (next === "left out") return withValue(draft, path, undefined);
      if (next === "null") return withValue(draft, path, null);
      if (next === "empty") return withValue(draft, path, emptyOf(field));
      return withValue(draft, path, fits(field, value) && value ? value : initialOf(field));
    });
    if (next === "set" || next === "JSON") form.focusNext(pointer);
  }

  return (
    <select
      class="state"
      aria-label={`${label}: state`}
      value={state}
      onChange={(event) => choose(event.currentTarget.value as State)}
    >
      {states.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}

function stateOf(field: Field, value: Json | undefined): State {
  if (value === undefined) return "left out";
  if (value === null) return "null";
  return JSON.stringify(value) === JSON.stringify(emptyOf(field)) ? "empty" : "set";
}

function statesOf(field: Field, fixed: boolean): State[] {
  const states: State[] = fixed ? ["set"] : ["left out", "set"];
  if (emptyOf(field) !== undefined) states.push("empty");
  if (field.nullable) states.push("null");
  return states;
}

function emptyOf(field: Field): Json | undefined {
  if (field.kind === "text") return "";
  if (field.kind === "array") return [];
  return field.kind === "object" ? {} : undefined;
}
