import type { VNode } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Problem } from "../../protocol/data.ts";
import { Button } from "../parts/elements.tsx";
import { isObject, parse } from "../text/json.ts";
import type { Field } from "./field.ts";
import { FieldRow, FormContext, type FormTools, type Placed, usePlace } from "./field-row.tsx";
import { countHidden, LONG_CHOICE } from "./fits.ts";
import { type FormDraft, withBox } from "./form-draft.ts";
import { JsonEditor } from "./json-editor.tsx";
import { ArrayFields, ObjectFields, UnionFields } from "./member-fields.tsx";
import { ChoiceField, TextField } from "./value-fields.tsx";

interface FormProps {
  readonly id: string;
  readonly field: Field;
  readonly draft: FormDraft;
  onDraft(draft: FormDraft): void;
  readonly problems: readonly Problem[];
  readonly complete?: FormTools["complete"];
  /** Moves the focus to the first field at the start. */
  readonly focus?: boolean;
  /** Texts have one line, so that Enter sends the form. */
  readonly lines?: boolean;
}

/** The fields of a value. Put it into a `<form>`. */
export function Form({
  id,
  field,
  draft,
  onDraft,
  problems,
  complete,
  focus = false,
  lines = false,
}: FormProps): VNode {
  const latest = useRef(draft);
  latest.current = draft;
  const wanted = useRef<string | undefined>(focus ? "" : undefined);
  const element = useRef<HTMLDivElement>(null);
  const [replaced, setReplaced] = useState<FormDraft>();
  const [, redraw] = useState(0);

  useLayoutEffect(() => {
    if (wanted.current === undefined) return;
    focusAt(element.current, wanted.current);
    wanted.current = undefined;
  });

  const tools: FormTools = {
    id,
    draft,
    lines,
    update(change) {
      // Two changes may come before the next drawing.
      latest.current = change(latest.current);
      onDraft(latest.current);
    },
    problemsAt: (pointer) => problems.filter((problem) => problem.pointer === pointer),
    focusNext(pointer) {
      wanted.current = pointer;
      redraw((count) => count + 1);
    },
    draw: (placed) => <FieldView key={placed.field.kind} {...placed} />,
    complete,
  };

  function onPaste(event: ClipboardEvent): void {
    const target = event.target as Element | null;
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!text.trimStart().startsWith("{") || target?.closest(".json-editor")) return;
    const pasted = parse(text);
    if (!isObject(pasted)) return;
    event.preventDefault();
    setReplaced(draft);
    onDraft({ value: pasted });
  }

  const hidden = countHidden(field, draft.value);
  return (
    <FormContext.Provider value={tools}>
      <div class="form" ref={element} onPaste={onPaste}>
        {replaced !== undefined && (
          <p class="notice" role="status">
            Filled from the pasted object.{" "}
            <Button
              label="Undo"
              class="plain"
              onClick={() => {
                onDraft(replaced);
                setReplaced(undefined);
              }}
            />
          </p>
        )}
        {tools.draw({ field, path: [], label: "", required: true })}
        {hidden > 0 && <p class="notice">{hidden === 1 ? "1 value" : `${hidden} values`} only in JSON</p>}
      </div>
    </FormContext.Provider>
  );
}

/** A field in its place: its control, or a JSON box for a value that the control cannot show. */
function FieldView(placed: Placed): VNode {
  const { field } = placed;
  if (usePlace(placed).isBox) return <JsonField {...placed} />;
  switch (field.kind) {
    case "text":
    case "number":
      return <TextField {...placed} />;
    case "boolean":
      return <ChoiceField {...placed} />;
    case "choice":
      return field.choices.length > LONG_CHOICE ? <TextField {...placed} /> : <ChoiceField {...placed} />;
    case "array":
      return <ArrayFields {...placed} />;
    case "object":
      return <ObjectFields {...placed} />;
    case "union":
      return <UnionFields {...placed} />;
    case "null":
      return (
        <FieldRow placed={placed}>
          <code>null</code>
        </FieldRow>
      );
    case "json":
      return <JsonField {...placed} />;
  }
}

const CONTROLS = "input, textarea, select, button";

/** Moves the focus to the control at a pointer, or to the first control below it. */
function focusAt(form: HTMLElement | null, pointer: string): void {
  const controls = [...(form?.querySelectorAll<HTMLElement>("[data-pointer]") ?? [])];
  const own = controls.find((control) => control.dataset.pointer === pointer);
  const below = controls.find(
    (control) =>
      control.dataset.pointer?.startsWith(`${pointer}/`) || control.dataset.pointer?.startsWith(`${pointer}:`),
  );
  const found = own ?? below ?? (pointer === "" ? form?.querySelector<HTMLElement>(CONTROLS) : undefined);
  found?.focus();
}

/** A value as JSON: no control shows it, or a person wants to write it so. */
function JsonField(placed: Placed): VNode {
  const { field, path, label } = placed;
  const { form, pointer, value, control } = usePlace(placed);
  const text = form.draft.texts?.[pointer] ?? (value === undefined ? "" : JSON.stringify(value, null, 2));
  return (
    <FieldRow placed={placed} single>
      <JsonEditor
        control={control}
        label={`${label || "arguments"} as JSON`}
        text={text}
        field={field}
        placeholder="left out"
        onText={(next) => form.update((draft) => withBox(draft, path, next))}
      />
    </FieldRow>
  );
}
