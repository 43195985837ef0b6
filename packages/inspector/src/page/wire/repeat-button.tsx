import type { VNode } from "preact";
import type { JsonObject } from "../../protocol/json.ts";
import type { WireMessage } from "../../protocol/wire.ts";
import { useApp } from "../state/app.ts";
import { isCallMethod, itemOfCall, valueOfCall } from "../state/calls.ts";
import { type Drafts, itemId, withDraft } from "../state/draft.ts";
import { ClientLink } from "./client-link.tsx";

export interface Repeats {
  readonly onDrafts: (change: (drafts: Drafts) => Drafts) => void;
}

/**
 * Puts the arguments of a call into the form, to change them and to call as the page: on the revision of the client, if the
 * call is of a watched one. It is never sent by this click, because a tool may have effects.
 */
export function RepeatButton({ message, onDrafts }: { readonly message: WireMessage } & Repeats): VNode | null {
  const { state, go, adjust } = useApp();
  const { kind, dir, method } = message;
  if (kind !== "request" || dir !== "out" || !isCallMethod(method)) return null;
  const params = paramsOf(message.text);
  if (params === undefined) return null;
  const isWatched = state.lanes.some(({ conn, role }) => conn === message.conn && role === "client");
  const open = () => {
    const item = itemOfCall({ method, params });
    onDrafts((drafts) => withDraft(drafts, itemId(item), { value: valueOfCall({ params }) }));
    go({ pane: "item", ...item });
    if (isWatched && state.revisions.includes(message.revision ?? "")) adjust({ revision: message.revision });
  };
  return (
    <p class="buttons">
      <button type="button" onClick={open}>
        {isWatched ? "Repeat as me" : "Open in the form"}
      </button>{" "}
      <ClientLink conn={message.conn} />
    </p>
  );
}

function paramsOf(text: string): JsonObject | undefined {
  try {
    const { params } = JSON.parse(text);
    return typeof params === "object" && params !== null ? params : undefined;
  } catch {
    return undefined;
  }
}
