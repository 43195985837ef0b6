import type { VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Json } from "../../protocol/data.ts";
import { Select } from "../parts/elements.tsx";
import { visible } from "../text/format.ts";
import type { Choice, Field } from "./field.ts";
import { type Completion, FieldRow, type Placed, useForm, usePlace } from "./field-row.tsx";
import { textOf, typedValue } from "./fits.ts";
import { toggleBox } from "./form-draft.ts";

const MAX_ROWS = 12;
const DATE = /^\d{4}-\d\d-\d\d$/;
/** Keyboards of phones. A native input of these types would change the text. */
const MODES: { readonly [format: string]: string } = { email: "email", uri: "url" };

/**
 * A text or a number; the text stays as it was typed as long as it means the value. Or one of many choices, which are found
 * by typing: another text is sent as typed.
 */
export function TextField(placed: Placed): VNode {
  const { field } = placed;
  const { form, control, value, fixed, id, set } = usePlace(placed);
  const [typed, setTyped] = useState("");
  const completion = useCompletion(placed);
  const means = typed !== "" && JSON.stringify(typedValue(field, typed)) === JSON.stringify(value);
  const text = means ? typed : value === null ? "" : textOf(field, value);

  function onInput(event: { readonly currentTarget: { readonly value: string } }): void {
    const next = event.currentTarget.value;
    setTyped(next);
    // An emptied field is left out; "empty" is another choice. An item of an array cannot be left out.
    set(next === "" && !fixed ? undefined : typedValue(field, next));
    completion.ask(next);
  }

  const labels = useMemo(() => labelsOf(field, text), [field, text]);
  const hasList = completion.found !== undefined || labels.length > 0;
  const shared = { ...control, value: text, placeholder: placeholderOf(field, value), onInput, spellcheck: false };
  const isArea = field.kind === "text" && ((field.area && !form.lines) || text.includes("\n"));
  const { format = "" } = field.kind === "text" ? field : {};
  const isDate = format === "date" && (text === "" || DATE.test(text));
  return (
    <FieldRow placed={placed} single>
      {isArea ? (
        <textarea {...shared} rows={text.split("\n", MAX_ROWS).length} autocomplete="off" />
      ) : (
        <input
          {...shared}
          type={isDate ? "date" : "text"}
          inputMode={field.kind === "number" ? "decimal" : (MODES[format] ?? "text")}
          autocomplete="off"
          list={hasList ? `${id}:list` : undefined}
          onFocus={() => completion.ask(text)}
        />
      )}
      {hasList && <Suggestions id={`${id}:list`} values={completion.found?.values.slice(0, MAX_SHOWN) ?? labels} />}
      {completion.found !== undefined && <Completed found={completion.found} />}
      {inexact(field, text, value)}
    </FieldRow>
  );
}

function placeholderOf(field: Field, value: Json | undefined): string {
  if (value === null) return "null";
  if (value === "") return "empty text";
  return field.default === undefined ? "left out" : `left out · default ${JSON.stringify(field.default)}`;
}

/** JavaScript cannot hold every number that JSON can. */
function inexact(field: Field, text: string, value: Json | undefined): VNode | null {
  if (field.kind !== "number" || typeof value !== "number" || !/^-?\d+$/.test(text)) return null;
  return BigInt(text) === BigInt(value) ? null : <p class="problem">{`is sent as ${BigInt(value)}`}</p>;
}

const DELAY = 150;
const MAX_SHOWN = 100;

/** Asks the server for values while a person types; only the last answer counts. */
function useCompletion({ path }: Placed): { found: Completion | undefined; ask(text: string): void } {
  const form = useForm();
  const [found, setFound] = useState<Completion>();
  const last = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const [name] = path;
  const { complete } = form;
  return {
    found,
    ask(text) {
      if (complete === undefined || typeof name !== "string" || path.length !== 1) return;
      clearTimeout(timer.current);
      const number = ++last.current;
      timer.current = setTimeout(() => {
        void complete(name, text).then(
          (answer) => number === last.current && setFound(answer),
          () => number === last.current && setFound(undefined),
        );
      }, DELAY);
    },
  };
}

function Suggestions({ id, values }: { readonly id: string; readonly values: readonly string[] }): VNode {
  return (
    <datalist id={id}>
      {values.map((value) => (
        <option key={value} value={value} />
      ))}
    </datalist>
  );
}

function Completed({ found }: { readonly found: Completion }): VNode {
  const { values, total = values.length, hasMore = false } = found;
  const shown = values.slice(0, MAX_SHOWN);
  return (
    <p class="about">
      {shown.length} of {total}
      {hasMore && " or more"} suggested: {visible(shown.slice(0, 5).join(", "))}
    </p>
  );
}

const MAX_CHOICES = 200;

/** The labels of choices that contain a text. */
function labelsOf(field: Field, text: string): string[] {
  const wanted = text.toLowerCase();
  const labels = choicesOf(field).map(({ label }) => label);
  return labels.filter((label) => label.toLowerCase().includes(wanted)).slice(0, MAX_CHOICES);
}

const BOOLEANS: readonly Choice[] = [
  { value: true, label: "true" },
  { value: false, label: "false" },
];

const AS_JSON = "as JSON";

/** A choice among constants. A boolean is one, too: a check box cannot say that it is left out. */
export function ChoiceField(placed: Placed): VNode {
  const { field, path } = placed;
  const { form, control, value, fixed, set } = usePlace(placed);
  const isBoolean = field.kind === "boolean";
  const choices = isBoolean ? BOOLEANS : choicesOf(field);
  const options: [string, string][] = choices.map(({ label }, at) => [isBoolean ? label : String(at), visible(label)]);
  if (!fixed) options.unshift(["", leftOut(field, choices)]);
  if (field.nullable) options.push(["null", "null"]);
  options.push([AS_JSON, "as JSON …"]);

  function choose(text: string): void {
    if (text === AS_JSON) form.update((draft) => toggleBox(draft, path, true));
    else set(text === "" ? undefined : text === "null" ? null : typedValue(field, text));
  }

  return (
    <FieldRow placed={placed} single>
      <Select
        {...control}
        value={value === null ? "null" : value === undefined ? "" : textOf(field, value)}
        options={options}
        onChoose={choose}
      />
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
