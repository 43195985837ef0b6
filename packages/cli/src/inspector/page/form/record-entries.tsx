import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Json } from "../../protocol/json.ts";
import type { Later } from "./field.ts";
import { withValue } from "./form-draft.ts";
import { useForm } from "./form-tools.ts";
import { initialOf } from "./initial.ts";
import { isObject, type Path, pointerOf, valueAt } from "./path.ts";

interface RecordProps {
  readonly path: Path;
  readonly label: string;
  readonly extra: Later;
  readonly names: readonly string[];
  taken(name: string): boolean;
}

/** The values of names that people choose. */
export function RecordEntries({ path, label, extra, names, taken }: RecordProps): VNode {
  const form = useForm();
  const [name, setName] = useState("");
  const isTaken = taken(name);

  function add(): void {
    form.update((draft) => withValue(draft, [...path, name], initialOf(extra())));
    form.focusNext(pointerOf([...path, name]));
    setName("");
  }

  return (
    <>
      {names.map((known) => (
        <div key={known} class="member">
          {form.draw({
            field: extra(),
            path: [...path, known],
            label: known,
            required: false,
            actions: <EntryActions path={path} name={known} taken={taken} />,
          })}
        </div>
      ))}
      <div class="add-name">
        <input
          type="text"
          aria-label={`New name in ${label || "the arguments"}`}
          placeholder="name"
          autocomplete="off"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.metaKey || event.ctrlKey) return;
            event.preventDefault();
            if (!isTaken) add();
          }}
        />
        <button type="button" class="plain" disabled={isTaken} onClick={add}>
          + add
        </button>
        {isTaken && <span class="problem">this name exists</span>}
      </div>
    </>
  );
}

interface EntryProps {
  readonly path: Path;
  readonly name: string;
  taken(name: string): boolean;
}

/** Renames or removes a value; its place stays. */
function EntryActions({ path, name, taken }: EntryProps): VNode {
  const form = useForm();
  const [renaming, setRenaming] = useState<string>();

  function rename(): void {
    if (renaming !== undefined && renaming !== name && !taken(renaming)) {
      form.update((draft) => {
        const record = valueAt(draft.value, path);
        const entries = isObject(record) ? Object.entries(record) : [];
        const renamed = entries.map(([key, value]): [string, Json] => [key === name ? renaming : key, value]);
        return withValue(draft, path, Object.fromEntries(renamed));
      });
      form.focusNext(pointerOf([...path, renaming]));
    }
    setRenaming(undefined);
  }

  return (
    <span class="item-actions">
      {renaming === undefined ? (
        <button type="button" aria-label={`Rename ${name}`} onClick={() => setRenaming(name)}>
          ✎
        </button>
      ) : (
        <input
          type="text"
          aria-label={`New name of ${name}`}
          value={renaming}
          ref={(input) => input?.focus()}
          onInput={(event) => setRenaming(event.currentTarget.value)}
          onBlur={rename}
          onKeyDown={(event) => {
            if (event.key === "Escape") setRenaming(undefined);
            if (event.key !== "Enter") return;
            event.preventDefault();
            rename();
          }}
        />
      )}
      <button
        type="button"
        aria-label={`Remove ${name}`}
        onClick={() => form.update((draft) => withValue(draft, [...path, name], undefined))}
      >
        ×
      </button>
    </span>
  );
}
