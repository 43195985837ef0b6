import { createContext, type VNode } from "preact";
import { useContext } from "preact/hooks";
import type { Problem } from "../../protocol/call.ts";
import type { Json } from "../../protocol/json.ts";
import type { Field } from "./field.ts";
import type { FormDraft } from "./form-draft.ts";
import { type Path, pointerOf, valueAt } from "./path.ts";

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

export interface Completion {
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore?: boolean;
}

/** What the fields of one form share. */
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
  complete?(name: string, text: string): Promise<Completion>;
}

export const FormContext = createContext<FormTools | undefined>(undefined);

export function useForm(): FormTools {
  const tools = useContext(FormContext);
  if (tools === undefined) throw new Error("A field is drawn outside of a form.");
  return tools;
}

/** The value of a field, and the ids of its parts. */
export function usePlace({ path, field, label, required, fixed = false }: Placed) {
  const form = useForm();
  const pointer = pointerOf(path);
  const id = `${form.id}${pointer}`;
  const value: Json | undefined = valueAt(form.draft.value, path);
  const problems = form.problemsAt(pointer);
  const described = [field.description !== undefined && `${id}:about`, problems.length > 0 && `${id}:problem`].filter(
    Boolean,
  );
  const control = {
    id,
    "data-pointer": pointer,
    "aria-required": required || undefined,
    "aria-invalid": problems.length > 0 ? ("true" as const) : undefined,
    "aria-describedby": described.length > 0 ? described.join(" ") : undefined,
  };
  return { form, pointer, id, value, problems, control, label, fixed };
}
