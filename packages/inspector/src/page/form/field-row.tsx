import type { ComponentChildren, VNode } from "preact";
import { visible } from "../text/visible.ts";
import type { Placed } from "./form-tools.ts";
import { usePlace } from "./form-tools.ts";
import { StateSelect } from "./state-select.tsx";

interface RowProps {
  readonly placed: Placed;
  readonly children: ComponentChildren;
  /** The control is one element, which the label names. */
  readonly single?: boolean;
}

/** The label, the hint, the state, the control, the description and the problems of a field. */
export function FieldRow({ placed, children, single = false }: RowProps): VNode {
  const { label, required, bare = false, actions } = placed;
  const { id } = usePlace(placed);
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
  if (single) {
    return (
      <div class="field">
        <div class="field-head">
          <label for={id} class={bare ? "visually-hidden" : ""}>
            {name}
          </label>
          <Hint placed={placed} />
          {actions}
        </div>
        {children}
        <Notes placed={placed} />
      </div>
    );
  }
  return (
    <fieldset class={bare ? "field bare" : "field group"} id={id} tabIndex={-1}>
      <legend class={bare ? "visually-hidden" : ""}>{name}</legend>
      <div class="field-head">
        <Hint placed={placed} />
        {actions}
      </div>
      <Notes placed={placed} />
      {children}
    </fieldset>
  );
}

function Hint({ placed }: { readonly placed: Placed }): VNode {
  const { field } = placed;
  return (
    <>
      <span class="quiet">
        {visible(field.hint)}
        {field.deprecated && " · deprecated"}
      </span>
      <StateSelect placed={placed} />
    </>
  );
}

function Notes({ placed }: { readonly placed: Placed }): VNode {
  const { id, problems } = usePlace(placed);
  const { description } = placed.field;
  return (
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
}
