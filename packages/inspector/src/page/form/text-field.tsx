import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import type { Json } from "../../protocol/json.ts";
import { CompletionList, useCompletion } from "./completion.tsx";
import type { Field } from "./field.ts";
import { FieldRow } from "./field-row.tsx";
import { withValue } from "./form-draft.ts";
import { type Placed, usePlace } from "./form-tools.ts";
import { textOf, typedValue } from "./value-text.ts";

const DATE = /^\d{4}-\d\d-\d\d$/;
/** Keyboards of phones. A native input of these types would change the text. */
const MODES: { readonly [format: string]: string } = { email: "email", uri: "url" };

/** A text or a number. The text stays as it was typed as long as it means the value. */
export function TextField(placed: Placed): VNode {
  const { field, path } = placed;
  const { form, control, value, fixed, id } = usePlace(placed);
  const [typed, setTyped] = useState("");
  const completion = useCompletion(placed);
  const area = useRef<HTMLTextAreaElement>(null);
  const means = typed !== "" && JSON.stringify(typedValue(field, typed)) === JSON.stringify(value);
  const text = means ? typed : value === null ? "" : textOf(field, value);

  function onInput(event: { readonly currentTarget: { readonly value: string } }): void {
    const next = event.currentTarget.value;
    setTyped(next);
    // An emptied field is left out; "empty" is a choice of its own. An item of an array cannot be left out.
    const nextValue = next === "" && !fixed ? undefined : typedValue(field, next);
    form.update((draft) => withValue(draft, path, nextValue));
    completion.ask(next);
  }

  const shared = { ...control, value: text, placeholder: placeholderOf(field, value), onInput, spellcheck: false };
  const isArea = field.kind === "text" && ((field.area && !form.lines) || text.includes("\n"));
  const isDate = field.kind === "text" && field.format === "date" && (text === "" || DATE.test(text));
  return (
    <FieldRow placed={placed} single>
      {isArea ? (
        <textarea {...shared} ref={area} rows={Math.min(1 + countLines(text), 12)} autocomplete="off" />
      ) : (
        <input
          {...shared}
          type={isDate ? "date" : "text"}
          inputMode={field.kind === "number" ? "decimal" : (MODES[formatOf(field)] ?? "text")}
          autocomplete="off"
          list={completion.found === undefined ? undefined : `${id}:list`}
          onFocus={() => completion.ask(text)}
        />
      )}
      {completion.found !== undefined && <CompletionList id={`${id}:list`} found={completion.found} />}
      {inexact(field, text, value)}
    </FieldRow>
  );
}

function formatOf(field: Field): string {
  return field.kind === "text" ? (field.format ?? "") : "";
}

function placeholderOf(field: Field, value: Json | undefined): string {
  if (value === null) return "null";
  if (value === "") return "empty text";
  return field.default === undefined ? "left out" : `left out · default ${JSON.stringify(field.default)}`;
}

function countLines(text: string): number {
  return text.split("\n", 12).length - 1;
}

/** JavaScript cannot hold every number that JSON can. */
function inexact(field: Field, text: string, value: Json | undefined): VNode | null {
  if (field.kind !== "number" || typeof value !== "number" || !/^-?\d+$/.test(text)) return null;
  return BigInt(text) === BigInt(value) ? null : <p class="problem">{`is sent as ${BigInt(value)}`}</p>;
}
