import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Field, Property } from "./field.ts";
import { FieldRow } from "./field-row.tsx";
import { withValue } from "./form-draft.ts";
import { type Placed, usePlace } from "./form-tools.ts";
import { initialOf } from "./initial.ts";
import { isObject, memberOf, pointerOf } from "./path.ts";
import { RecordEntries } from "./record-entries.tsx";

type ObjectField = Extract<Field, { kind: "object" }>;

/** More properties are shown at a press. */
const MAX_SHOWN = 60;
/** Deeper objects open at a press: a type may contain itself. */
const MAX_OPEN = 3;

/** The properties of an object. */
export function ObjectFields(placed: Placed): VNode {
  const { path, required, label } = placed;
  const field = placed.field as ObjectField;
  const { form, value, pointer } = usePlace(placed);
  const isRoot = path.length === 0;
  const isOpen = value !== undefined || isRoot || (required && path.length <= MAX_OPEN);
  if (!isOpen) {
    return (
      <FieldRow placed={placed}>
        <button
          type="button"
          class="plain"
          onClick={() => {
            form.update((draft) => withValue(draft, path, initialOf(field)));
            form.focusNext(pointer);
          }}
        >
          + add {label}
        </button>
      </FieldRow>
    );
  }
  return isRoot ? (
    <Members {...placed} />
  ) : (
    <FieldRow placed={placed}>
      <Members {...placed} />
    </FieldRow>
  );
}

function Members(placed: Placed): VNode {
  const { path } = placed;
  const field = placed.field as ObjectField;
  const { form, value } = usePlace(placed);
  const [all, setAll] = useState(false);
  // What is set or required is never behind the press.
  const isFirst = ({ name, required }: Property, index: number) =>
    all || index < MAX_SHOWN || required || memberOf(value, name) !== undefined;
  const shown = field.properties.filter(isFirst);
  return (
    <div class="members">
      {shown.map(({ name, required, field: later }) => (
        <div key={name} class="member">
          {form.draw({ field: later(), path: [...path, name], label: name, required })}
        </div>
      ))}
      {shown.length < field.properties.length && (
        <button type="button" class="plain" onClick={() => setAll(true)}>
          show all {field.properties.length} properties
        </button>
      )}
      {field.extra !== undefined && (
        <RecordEntries
          key={pointerOf(path)}
          path={path}
          label={placed.label}
          extra={field.extra}
          names={
            isObject(value)
              ? Object.keys(value).filter((name) => !field.properties.some((known) => known.name === name))
              : []
          }
          taken={(name) => field.properties.some((known) => known.name === name) || memberOf(value, name) !== undefined}
        />
      )}
    </div>
  );
}
