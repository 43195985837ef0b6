import type { VNode } from "preact";
import { SafeLink, webAddress } from "../result/safe-link.tsx";
import { MODIFIER } from "../shell/modifier.ts";
import { useApp } from "../state/app.ts";
import type { RequestPaneProps } from "../state/pane-props.ts";
import { size } from "../text/units.ts";
import { visible } from "../text/visible.ts";
import { Subscribe } from "./subscribe.tsx";

/** A resource: what is known about it, and the button that reads it. */
export function ResourceRequest({ item, onCall }: RequestPaneProps): VNode {
  const { state } = useApp();
  const { mimeType, size: bytes } = item.description;
  return (
    <form
      id="request"
      aria-label="Read"
      onSubmit={(event) => {
        event.preventDefault();
        onCall({ uri: item.key });
      }}
    >
      <p>
        {webAddress(item.key) === undefined ? <code>{visible(item.key)}</code> : <SafeLink address={item.key} />}{" "}
        <span class="quiet">
          {typeof mimeType === "string" && visible(mimeType)} {typeof bytes === "number" && size(bytes)}
        </span>
      </p>
      <div class="buttons">
        <button type="submit" disabled={!state.abilities.calls}>
          Read <kbd>{MODIFIER}↵</kbd>
        </button>
        <Subscribe uri={item.key} />
      </div>
    </form>
  );
}
