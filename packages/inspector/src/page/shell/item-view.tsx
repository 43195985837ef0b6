import type { VNode } from "preact";
import type { InspectorFinding } from "../../protocol/api.ts";
import type { CallState, Item, ItemKind, JsonObject } from "../../protocol/data.ts";
import { RequestPane } from "../panes/request-pane.tsx";
import { ResponsePane } from "../panes/response-pane.tsx";
import { PlaceButton } from "../parts/elements.tsx";
import { FindingList } from "../side/doctor-view.tsx";
import { useApp } from "../state/app.ts";
import { itemId, METHODS } from "../state/calls.ts";
import { count, visible } from "../text/format.ts";
import { Overview } from "./overview.tsx";

interface ItemViewProps {
  readonly kind: ItemKind;
  readonly itemKey: string;
  readonly onCalled: (callId: string) => void;
  /** The calls of the item, the last one last. */
  readonly calls: readonly CallState[];
  /** The findings of doctor about the item. */
  readonly findings: readonly InspectorFinding[];
}

/** An item: request and answer, side by side. */
export function ItemView({ kind, itemKey, onCalled, calls, findings }: ItemViewProps): VNode {
  const { offer, call, state } = useApp();
  if (offer === undefined) return <Overview />;
  const listed = offer.items.find((item) => item.kind === kind && item.key === itemKey);
  // A resource can be read without being listed: a link of a result, or a URI of a template.
  const unlisted = { kind, key: itemKey, description: { uri: itemKey, name: itemKey } };
  const item: Item | undefined = listed ?? (kind === "resource" ? unlisted : undefined);
  if (item === undefined) return <Missing kind={kind} itemKey={itemKey} />;
  const id = itemId(item);
  const shown = calls.at(-1);
  const send = async (params: JsonObject) => {
    const made = await call(METHODS[kind], params);
    if (made !== undefined) onCalled(made);
  };
  return (
    <>
      <section class="request" data-pane="request" aria-label="Request">
        <ItemTitle item={item} />
        {/* Folded, so that the form is the first thing to see. */}
        {findings.length > 0 && (
          <details class="findings">
            <summary>
              Doctor: <b class="warning">{count(findings.length, "finding")}</b>
            </summary>
            <FindingList findings={findings} />
          </details>
        )}
        {!state.abilities.calls && <p class="note">This is a recording: nothing can be called.</p>}
        <RequestPane key={id} item={item} onCall={send} call={shown} />
      </section>
      <section class="response" data-pane="answer" aria-label="Answer">
        <h2 class="visually-hidden">Answer</h2>
        <ResponsePane key={id} item={item} call={shown} previous={calls.at(-2)} />
      </section>
    </>
  );
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
