import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Json } from "../../protocol/json.ts";
import type { Field } from "./field.ts";
import { FieldRow } from "./field-row.tsx";
import { withMovedItem, withValue } from "./form-draft.ts";
import { type Placed, usePlace } from "./form-tools.ts";
import { initialOf } from "./initial.ts";
import { pointerOf } from "./path.ts";

type ArrayField = Extract<Field, { kind: "array" }>;

/** More items are shown at a press. */
const MAX_SHOWN = 50;

/** A list or a tuple. */
export function ArrayFields(placed: Placed): VNode {
  const { path, label } = placed;
  const field = placed.field as ArrayField;
  const { form, value } = usePlace(placed);
  const [all, setAll] = useState(false);
  const items: readonly Json[] = Array.isArray(value) ? value : [];
  const shown = all ? items : items.slice(0, MAX_SHOWN);
  const next = field.prefix[items.length] ?? field.items;

  function add(): void {
    if (next === undefined) return;
    form.update((draft) => withValue(draft, [...path, items.length], initialOf(next())));
    form.focusNext(pointerOf([...path, items.length]));
  }

  function move(from: number, to: number | undefined): void {
    form.update((draft) => withMovedItem(draft, path, from, to));
    const rest = items.length - (to === undefined ? 1 : 0);
    form.focusNext(pointerOf(rest === 0 ? path : [...path, Math.min(to ?? from, rest - 1)]));
  }

  return (
    <FieldRow placed={placed}>
      <ol class="array" start={1}>
        {shown.map((_item, index) => {
          const later = field.prefix[index] ?? field.items;
          if (later === undefined) return null;
          const child = later();
          const actions = <ItemActions label={label} index={index} count={items.length} move={move} />;
          return (
            <li key={index}>
              {form.draw({
                field: child,
                path: [...path, index],
                label: child.title === undefined ? `${label} ${index + 1}` : `${label} ${index + 1}: ${child.title}`,
                required: false,
                fixed: true,
                actions,
              })}
            </li>
          );
        })}
      </ol>
      {shown.length < items.length && (
        <button type="button" class="plain" onClick={() => setAll(true)}>
          show all {items.length} items
        </button>
      )}
      {next !== undefined && (
        <button type="button" class="plain" data-pointer={`${pointerOf(path)}:add`} onClick={add}>
          + add <span class="visually-hidden">to {label}</span>
          <span aria-hidden="true">an item</span>
        </button>
      )}
    </FieldRow>
  );
}

interface ActionsProps {
  readonly label: string;
  readonly index: number;
  readonly count: number;
  move(from: number, to: number | undefined): void;
}

function ItemActions({ label, index, count, move }: ActionsProps): VNode {
  const name = `${label} ${index + 1}`;
  return (
    <span class="item-actions">
      <button
        type="button"
        aria-label={`Move ${name} up`}
        disabled={index === 0}
        onClick={() => move(index, index - 1)}
      >
        ↑
      </button>
      <button
        type="button"
        aria-label={`Move ${name} down`}
        disabled={index === count - 1}
        onClick={() => move(index, index + 1)}
      >
        ↓
      </button>
      <button type="button" aria-label={`Remove ${name}`} onClick={() => move(index, undefined)}>
        ×
      </button>
    </span>
  );
}
