import type { ComponentChildren, VNode } from "preact";
import { Problems } from "../result/problems.tsx";
import { MODIFIER } from "../shell/modifier.ts";
import { visible } from "../text/visible.ts";
import type { CallCheck } from "./call-check.ts";

interface CallBarProps {
  readonly name: string;
  readonly check: CallCheck;
  readonly disabled?: boolean;
  /** Sends it although there are problems. */
  onAnyway(): void;
  readonly children?: ComponentChildren;
}

/** The button that sends, and what speaks against it. It stays enabled: a server must be tested with bad input, too. */
export function CallBar({ name, check, disabled = false, onAnyway, children }: CallBarProps): VNode {
  const { shown, problems, broken, attempted, note } = check;
  const isWrong = problems.length > 0 && (attempted || shown.length > 0);
  return (
    <div class="call-bar">
      {broken.length > 0 && attempted && (
        <p class="problem" role="alert">
          {broken[0] === "" ? "The JSON" : `The JSON of ${visible(broken[0] ?? "")}`} cannot be read. Correct it first.
        </p>
      )}
      {isWrong && <Problems title="Problems" problems={attempted ? problems : shown} />}
      <div class="buttons">
        <button type="submit" disabled={disabled}>
          {name} <kbd>{MODIFIER}↵</kbd>
        </button>
        {isWrong && broken.length === 0 && (
          <button type="button" disabled={disabled} onClick={onAnyway}>
            Send anyway
          </button>
        )}
        {children}
      </div>
      {note !== undefined && <p class="quiet">{visible(note)}</p>}
    </div>
  );
}
