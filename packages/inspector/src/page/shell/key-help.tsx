import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { KEY_HELP } from "./keys.ts";

interface KeyHelpProps {
  readonly singleKeys: boolean;
  readonly onSingleKeys: (on: boolean) => void;
  readonly onClose: () => void;
}

export function KeyHelp({ singleKeys, onSingleKeys, onClose }: KeyHelpProps): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="keys" aria-labelledby="keys-title" onClose={onClose}>
      <h2 id="keys-title">Keys</h2>
      <table>
        <thead class="visually-hidden">
          <tr>
            <th scope="col">Key</th>
            <th scope="col">What it does</th>
          </tr>
        </thead>
        <tbody>
          {KEY_HELP.map(([keys, meaning]) => (
            <tr key={keys}>
              <td>
                <kbd>{keys}</kbd>
              </td>
              <td>{meaning}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <label>
        <input type="checkbox" checked={singleKeys} onChange={(event) => onSingleKeys(event.currentTarget.checked)} />{" "}
        Keys of a single letter act, if no field has the focus
      </label>
      <p>
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </p>
    </dialog>
  );
}
