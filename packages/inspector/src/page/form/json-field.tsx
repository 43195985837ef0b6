import type { VNode } from "preact";
import { JsonEditor } from "../json-editor/json-editor.tsx";
import { FieldRow } from "./field-row.tsx";
import { withBox } from "./form-draft.ts";
import { type Placed, usePlace } from "./form-tools.ts";

/** A value as JSON: what no control shows, or what a person wants to write so. */
export function JsonField(placed: Placed): VNode {
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
