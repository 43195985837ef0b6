import type { VNode } from "preact";
import { moveFocus } from "./roving.ts";

/** Below 1000 pixels one pane is visible at a time. */
export type NarrowPane = "list" | "request" | "answer" | "wire" | "more";

export const NARROW_PANES: readonly (readonly [NarrowPane, string])[] = [
  ["list", "List"],
  ["request", "Request"],
  ["answer", "Answer"],
  ["more", "More"],
  ["wire", "Wire"],
];

/** Chooses it. Styles hide this row on wide screens, where all panes are visible. */
export function NarrowTabs(props: {
  readonly panes: typeof NARROW_PANES;
  readonly pane: NarrowPane;
  readonly onPane: (pane: NarrowPane) => void;
}): VNode {
  return (
    <nav class="narrow-tabs" aria-label="Panes" onKeyDown={moveFocus}>
      {props.panes.map(([id, label]) => (
        <button
          key={id}
          type="button"
          aria-current={id === props.pane ? "true" : undefined}
          data-roving
          onClick={() => props.onPane(id)}
        >
          {label}
        </button>
      ))}
    </nav>
  );
}
