import type { VNode } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Problem } from "../../protocol/call.ts";
import { ArrayFields } from "./array-field.tsx";
import { ChoiceField } from "./choice-field.tsx";
import type { Field } from "./field.ts";
import { FieldRow } from "./field-row.tsx";
import { fits } from "./fits.ts";
import { type FormDraft, parse } from "./form-draft.ts";
import { type Completion, FormContext, type FormTools, type Placed, useForm } from "./form-tools.ts";
import { countHidden } from "./hidden.ts";
import { JsonField } from "./json-field.tsx";
import { ObjectFields } from "./object-field.tsx";
import { isObject, pointerOf, valueAt } from "./path.ts";
import { TextField } from "./text-field.tsx";
import { UnionFields } from "./union-field.tsx";

interface FormProps {
  readonly id: string;
  readonly field: Field;
  readonly draft: FormDraft;
  onDraft(draft: FormDraft): void;
  readonly problems: readonly Problem[];
  complete?(name: string, text: string): Promise<Completion>;
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
    ...(complete !== undefined && { complete }),
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
            <button
              type="button"
              class="plain"
              onClick={() => {
                onDraft(replaced);
                setReplaced(undefined);
              }}
            >
              Undo
            </button>
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
  const { field, path } = placed;
  const form = useForm();
  const value = valueAt(form.draft.value, path);
  const isBox = form.draft.texts?.[pointerOf(path)] !== undefined || !fits(field, value);
  if (isBox) return <JsonField {...placed} />;
  switch (field.kind) {
    case "text":
    case "number":
      return <TextField {...placed} />;
    case "boolean":
    case "choice":
      return <ChoiceField {...placed} />;
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
