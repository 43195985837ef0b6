import type { VNode } from "preact";
import type { InspectorFinding } from "../../protocol/api.ts";
import type { CallState } from "../../protocol/call.ts";
import type { JsonObject } from "../../protocol/json.ts";
import type { Item, ItemKind } from "../../protocol/offer.ts";
import { RequestPane } from "../panes/request-pane.tsx";
import { ResponsePane } from "../panes/response-pane.tsx";
import { FindingList } from "../side/doctor-view.tsx";
import { useApp } from "../state/app.ts";
import { METHODS } from "../state/calls.ts";
import { type ItemDraft, itemId } from "../state/draft.ts";
import { count } from "../text/units.ts";
import { visible } from "../text/visible.ts";
import { Overview } from "./overview.tsx";
import { PlaceButton } from "./place-button.tsx";

interface ItemViewProps {
  readonly kind: ItemKind;
  readonly itemKey: string;
  readonly draft: ItemDraft;
  readonly onDraft: (draft: ItemDraft) => void;
  readonly onCalled: (callId: string) => void;
  /** The calls of the item, the last one last. */
  readonly calls: readonly CallState[];
  /** What doctor finds in the item. */
  readonly findings: readonly InspectorFinding[];
}

/** More findings are folded, so that the form stays in sight. */
const MAX_OPEN = 2;

/** An item: what is sent and what came back, side by side. */
export function ItemView({ kind, itemKey, draft, onDraft, onCalled, calls, findings }: ItemViewProps): VNode {
  const { offer, call, state } = useApp();
  if (offer === undefined) return <Overview />;
  const item = offer.items.find((item) => item.kind === kind && item.key === itemKey) ?? unlisted(kind, itemKey);
  if (item === undefined) return <Missing kind={kind} itemKey={itemKey} />;
  const shown = calls.at(-1);
  const send = async (params: JsonObject) => {
    const id = await call(METHODS[kind], params);
    if (id !== undefined) onCalled(id);
  };
  return (
    <>
      <section class="request" data-pane="request" aria-label="Request">
        <ItemTitle item={item} />
        {findings.length > 0 && (
          <details class="findings" open={findings.length <= MAX_OPEN}>
            <summary>
              Doctor: <b class="warning">{count(findings.length, "finding")}</b>
            </summary>
            <FindingList findings={findings} />
          </details>
        )}
        {!state.abilities.calls && <p class="note">This is a recording: nothing can be called.</p>}
        <RequestPane
          key={itemId(item)}
          item={item}
          offer={offer}
          draft={draft}
          onDraft={onDraft}
          onCall={send}
          call={shown}
        />
      </section>
      <section class="response" data-pane="answer" aria-label="Answer">
        <h2 class="visually-hidden">Answer</h2>
        <ResponsePane key={itemId(item)} item={item} call={shown} previous={calls.at(-2)} />
      </section>
    </>
  );
}

/** A resource can be read without being listed: a link of a result, or a URI of a template. */
function unlisted(kind: ItemKind, key: string): Item | undefined {
  return kind === "resource" ? { kind, key, description: { uri: key, name: key } } : undefined;
}

function ItemTitle({ item }: { readonly item: Item }): VNode {
  const { title, description } = item.description;
  const { place } = item;
  return (
    <div class="item-title">
      <h2>{visible(item.key)}</h2>
      {place !== undefined && <PlaceButton place={place} />}
      {typeof title === "string" && title !== item.key && <p>{visible(title)}</p>}
      {typeof description === "string" && <p class="prose">{visible(description)}</p>}
    </div>
  );
}

function Missing({ kind, itemKey }: { readonly kind: ItemKind; readonly itemKey: string }): VNode {
  const { state, revision } = useApp();
  const removed = state.unseen.get(itemId({ kind, key: itemKey })) === "removed";
  return (
    <section class="request" data-pane="request" aria-label="Request">
      <h2>{visible(itemKey)}</h2>
      <p>
        {removed
          ? `Your edit removed this ${kind}. What you typed for it is kept, in case that it comes back.`
          : `The server offers no ${kind} of this name on revision ${revision}.`}
      </p>
    </section>
  );
}
