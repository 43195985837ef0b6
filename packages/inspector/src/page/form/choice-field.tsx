import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { visible } from "../text/visible.ts";
import type { Choice, Field } from "./field.ts";
import { FieldRow } from "./field-row.tsx";
import { toggleBox, withValue } from "./form-draft.ts";
import { type Placed, usePlace } from "./form-tools.ts";
import { LONG_CHOICE, textOf, typedValue } from "./value-text.ts";

const BOOLEANS: readonly Choice[] = [
  { value: true, label: "true" },
  { value: false, label: "false" },
];

const AS_JSON = "as JSON";

/** A choice among constants. A boolean is one, too: a check box cannot say that it is left out. */
export function ChoiceField(placed: Placed): VNode {
  const { field, path } = placed;
  const { form, control, value, fixed } = usePlace(placed);
  if (field.kind === "choice" && field.choices.length > LONG_CHOICE) return <LongChoice {...placed} />;
  const isBoolean = field.kind === "boolean";
  const choices = isBoolean ? BOOLEANS : choicesOf(field);

  function choose(text: string): void {
    const next = text === "" ? undefined : text === "null" ? null : typedValue(field, text);
    form.update((draft) => (text === AS_JSON ? toggleBox(draft, path, true) : withValue(draft, path, next)));
  }

  return (
    <FieldRow placed={placed} single>
      <select
        {...control}
        value={value === null ? "null" : value === undefined ? "" : textOf(field, value)}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        {!fixed && <option value="">{leftOut(field, choices)}</option>}
        {choices.map(({ label }, index) => (
          <option key={index} value={isBoolean ? label : String(index)}>
            {visible(label)}
          </option>
        ))}
        {field.nullable && <option value="null">null</option>}
        <option value={AS_JSON}>as JSON …</option>
      </select>
    </FieldRow>
  );
}

function choicesOf(field: Field): readonly Choice[] {
  return field.kind === "choice" ? field.choices : [];
}

function leftOut(field: Field, choices: readonly Choice[]): string {
  if (field.default === undefined) return "left out";
  const text = JSON.stringify(field.default);
  const label = choices.find(({ value }) => JSON.stringify(value) === text)?.label ?? text;
  return `left out · default ${visible(label)}`;
}

const MAX_SHOWN = 200;

/** Many choices are found by typing; what is not one of them is sent as typed. */
function LongChoice(placed: Placed): VNode {
  const { field, path } = placed;
  const { form, control, value, fixed, id } = usePlace(placed);
  const text = typeof value === "object" ? "" : textOf(field, value);
  const choices = choicesOf(field);
  const found = useMemo(() => {
    const wanted = text.toLowerCase();
    const matching: Choice[] = [];
    for (const choice of choices) {
      if (choice.label.toLowerCase().includes(wanted)) matching.push(choice);
      if (matching.length === MAX_SHOWN) break;
    }
    return matching;
  }, [choices, text]);
  return (
    <FieldRow placed={placed} single>
      <input
        {...control}
        type="text"
        list={`${id}:list`}
        value={text}
        autocomplete="off"
        placeholder={value === null ? "null" : leftOut(field, [])}
        onInput={(event) => {
          const next = event.currentTarget.value;
          form.update((draft) => withValue(draft, path, next === "" && !fixed ? undefined : typedValue(field, next)));
        }}
      />
      <datalist id={`${id}:list`}>
        {found.map(({ label }) => (
          <option key={label} value={label} />
        ))}
      </datalist>
    </FieldRow>
  );
}
