import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Later } from "./field.ts";
import { withValue } from "./form-draft.ts";
import { useForm } from "./form-tools.ts";
import { initialOf } from "./initial.ts";
import { type Path, pointerOf } from "./path.ts";

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
            actions: (
              <button
                type="button"
                aria-label={`Remove ${known}`}
                onClick={() => form.update((draft) => withValue(draft, [...path, known], undefined))}
              >
                ×
              </button>
            ),
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
