import { type ComponentChildren, createContext, type VNode } from "preact";
import { useContext } from "preact/hooks";
import type { Api } from "../../protocol/api.ts";
import type { Json, Problem } from "../../protocol/data.ts";
import { Select } from "../parts/elements.tsx";
import { visible } from "../text/format.ts";
import { type Path, pointerOf, valueAt } from "../text/json.ts";
import { initialOf } from "./example.ts";
import type { Field } from "./field.ts";
import { fits } from "./fits.ts";
import { type FormDraft, toggleBox, withValue } from "./form-draft.ts";

interface RowProps {
  readonly placed: Placed;
  readonly children: ComponentChildren;
  /** The control is one element, which the label names. */
  readonly single?: boolean;
}

/** The label, the hint, the state, the control, the description and the problems of a field. */
export function FieldRow({ placed, children, single = false }: RowProps): VNode {
  const { field, label, required, bare = false, actions } = placed;
  const { description, hint, deprecated } = field;
  const { id, problems } = usePlace(placed);
  const labelClass = bare ? "visually-hidden" : "";
  const name = (
    <>
      {visible(label)}
      {required && (
        <b class="required" aria-hidden="true">
          {" *"}
        </b>
      )}
    </>
  );
  const head = (
    <div class="field-head">
      {single && (
        <label for={id} class={labelClass}>
          {name}
        </label>
      )}
      <span class="quiet">
        {visible(hint)}
        {deprecated && " · deprecated"}
      </span>
      <StateSelect placed={placed} />
      {actions}
    </div>
  );
  const notes = (
    <>
      {description !== undefined && (
        <p class="about" id={`${id}:about`}>
          {visible(description)}
        </p>
      )}
      {problems.length > 0 && (
        <p class="problem" id={`${id}:problem`}>
          {problems.map(({ message }) => visible(message)).join("; ")}
        </p>
      )}
    </>
  );
  if (single) {
    return (
      <div class="field">
        {head}
        {children}
        {notes}
      </div>
    );
  }
  return (
    <fieldset class={bare ? "field bare" : "field group"} id={id} tabIndex={-1}>
      <legend class={labelClass}>{name}</legend>
      {head}
      {notes}
      {children}
    </fieldset>
  );
}

/** A field in its place. */
export interface Placed {
  readonly field: Field;
  readonly path: Path;
  /** The name that people see. */
  readonly label: string;
  readonly required: boolean;
  /** Whether it can be left out: items of an array cannot. */
  readonly fixed?: boolean;
  /** Shows no label: a heading beside it has it. */
  readonly bare?: boolean;
  /** Buttons at the end of the first line. */
  readonly actions?: VNode;
}

export type Completion = Api["complete"]["out"];

/** The tools that the fields of one form share. */
export interface FormTools {
  /** Begins the ids of its elements: a page has several forms. */
  readonly id: string;
  readonly draft: FormDraft;
  update(change: (draft: FormDraft) => FormDraft): void;
  problemsAt(pointer: string): readonly Problem[];
  /** Moves the focus to the field at a pointer after the next drawing. */
  focusNext(pointer: string): void;
  /** Draws a field. It is here because fields contain fields. */
  draw(placed: Placed): VNode;
  /** Texts have one line, so that Enter sends the form. */
  readonly lines: boolean;
  /** Asks the server for values of a text at the root. */
  readonly complete: ((name: string, text: string) => Promise<Completion>) | undefined;
}

export const FormContext = createContext<FormTools | undefined>(undefined);

export function useForm(): FormTools {
  const tools = useContext(FormContext);
  if (tools === undefined) throw new Error("A field is drawn outside of a form.");
  return tools;
}

/** The value of a field, and the ids of its parts. */
export function usePlace({ path, field, required, fixed = false }: Placed) {
  const form = useForm();
  const { draft } = form;
  const pointer = pointerOf(path);
  const id = `${form.id}${pointer}`;
  const value: Json | undefined = valueAt(draft.value, path);
  const problems = form.problemsAt(pointer);
  const hasProblems = problems.length > 0;
  const described = [field.description !== undefined && `${id}:about`, hasProblems && `${id}:problem`].filter(Boolean);
  const control = {
    id,
    "data-pointer": pointer,
    "aria-required": required || undefined,
    "aria-invalid": hasProblems ? ("true" as const) : undefined,
    "aria-describedby": described.join(" ") || undefined,
  };
  /** Whether it is edited as JSON. */
  const isBox = draft.texts?.[pointer] !== undefined || !fits(field, value);
  const set = (next: Json | undefined) => form.update((draft) => withValue(draft, path, next));
  return { form, pointer, id, value, problems, control, fixed, isBox, set };
}

type State = "left out" | "set" | "empty" | "null" | "JSON";

/** Left out, empty and null are three different things, and each can be chosen. */
function StateSelect({ placed }: { readonly placed: Placed }): VNode | null {
  const { field, path, label } = placed;
  const { form, pointer, value, fixed, isBox, set } = usePlace(placed);
  if (field.kind === "json" || path.length === 0) return null;
  // A choice has these states among its own.
  if (!isBox && (field.kind === "choice" || field.kind === "boolean")) return null;
  const empty = emptyOf(field);
  const state = isBox ? "JSON" : stateOf(value, empty);
  const usual: State[] = fixed ? ["set"] : ["left out", "set"];
  if (empty !== undefined) usual.push("empty");
  if (field.nullable) usual.push("null");

  function choose(next: State): void {
    if (next === "JSON") form.update((draft) => toggleBox(draft, path, true));
    else if (next === "left out") set(undefined);
    else if (next === "null") set(null);
    else if (next === "empty") set(empty);
    else set(fits(field, value) && value ? value : initialOf(field));
    if (next === "set" || next === "JSON") form.focusNext(pointer);
  }

  return (
    <Select
      class="state"
      aria-label={`${label}: state`}
      value={state}
      options={[...new Set([...usual, state, "JSON"])]}
      onChoose={(next) => choose(next as State)}
    />
  );
}

function stateOf(value: Json | undefined, empty: Json | undefined): State {
  if (value === undefined) return "left out";
  if (value === null) return "null";
  return JSON.stringify(value) === JSON.stringify(empty) ? "empty" : "set";
}

function emptyOf(field: Field): Json | undefined {
  if (field.kind === "text") return "";
  if (field.kind === "array") return [];
  return field.kind === "object" ? {} : undefined;
}
