import type { VNode } from "preact";
import type { JsonObject } from "../../protocol/json.ts";
import type { RequestPaneProps } from "../state/pane-props.ts";

/** Shows what is sent. */
export function RequestPane({ item, draft, onDraft, onCall }: RequestPaneProps): VNode {
  const text = draft.text ?? JSON.stringify(draft.value, null, 2);
  return (
    <form
      id="request"
      onSubmit={(event) => {
        event.preventDefault();
        onCall(paramsOf(item.kind, item.key, draft.value));
      }}
    >
      <label>
        Arguments
        <textarea rows={8} value={text} onInput={(event) => onDraft(parsed(event.currentTarget.value, draft.value))} />
      </label>
      <button type="submit">Call</button>
    </form>
  );
}

function parsed(text: string, value: JsonObject) {
  try {
    return { value: JSON.parse(text) as JsonObject, text };
  } catch {
    return { value, text };
  }
}

function paramsOf(kind: string, key: string, value: JsonObject): JsonObject {
  return kind === "tool" || kind === "prompt" ? { name: key, arguments: value } : { uri: key };
}
