import type { CallState } from "../../protocol/call.ts";
import type { JsonObject } from "../../protocol/json.ts";
import type { Item, Offer } from "../../protocol/offer.ts";
import type { ItemDraft } from "./draft.ts";

/**
 * What the shell gives to the pane of what is sent. The shell shows name, description and place above it. The pane has one
 * `<form id="request">`: the shell submits it for the key of a call, wherever the focus is. Everything else (API, revision,
 * navigation, announcements) comes from `useApp`.
 */
export interface RequestPaneProps {
  readonly item: Item;
  readonly offer: Offer;
  readonly draft: ItemDraft;
  readonly onDraft: (draft: ItemDraft) => void;
  /** Makes the call. A template gives its expanded URI. */
  readonly onCall: (params: JsonObject) => void;
  /** The call that the other pane shows. */
  readonly call: CallState | undefined;
}

/** What the shell gives to the pane of what came back. The keys [ and ] choose among its tabs: `<Tabs name="result" …>`. */
export interface ResponsePaneProps {
  readonly item: Item | undefined;
  readonly call: CallState | undefined;
  /** The call before it of the same item. */
  readonly previous: CallState | undefined;
}
