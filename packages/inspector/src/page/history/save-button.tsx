import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { CallState } from "../../protocol/call.ts";
import { useApp } from "../state/app.ts";
import { draftOfCall } from "../state/calls.ts";

const NAME = "[a-z0-9\\-]{1,64}";

interface Saved {
  /** The call in the history. */
  readonly id: string;
  readonly call: CallState;
}

/** Writes the call beside the module, under a name that is asked for in place. */
export function SaveButton({ id, call }: Saved): VNode {
  const { announce } = useApp();
  const [asking, setAsking] = useState(false);
  const [told, setTold] = useState("");
  if (asking) {
    const done = (file: string | undefined) => {
      setAsking(false);
      if (file === undefined) return;
      setTold(`Saved as ${file}`);
      announce(`Saved as ${file}`);
    };
    return <SaveForm id={id} call={call} onDone={done} />;
  }
  return (
    <>
      <button type="button" onClick={() => setAsking(true)}>
        ☆ Save
      </button>
      {told !== "" && <span class="note">{told}</span>}
    </>
  );
}

interface SaveFormProps extends Saved {
  /** With the name of the file, or without it if nothing was saved. */
  readonly onDone: (file: string | undefined) => void;
}

function SaveForm({ id, call, onDone }: SaveFormProps): VNode {
  const { api, report } = useApp();
  const [name, setName] = useState("");
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const save = (event: Event) => {
    event.preventDefault();
    api.post("save", { name, draft: draftOfCall(call), id }).then(({ file }) => onDone(file), report);
  };
  return (
    <form class="save" onSubmit={save}>
      <label>
        Name{" "}
        <input
          ref={input}
          required
          pattern={NAME}
          title="Up to 64 small letters, digits and hyphens"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <button type="submit">Save</button>
      <button type="button" onClick={() => onDone(undefined)}>
        Cancel
      </button>
    </form>
  );
}
