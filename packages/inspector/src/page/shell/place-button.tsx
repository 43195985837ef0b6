import type { VNode } from "preact";
import type { Place } from "../../protocol/offer.ts";
import { useApp } from "../state/app.ts";
import { visible } from "../text/visible.ts";

/** A place in the source, which opens in the editor. */
export function PlaceButton({ place }: { readonly place: Place }): VNode {
  const { offer, openPlace } = useApp();
  return (
    <button type="button" class="plain code" title="Open in the editor" onClick={() => openPlace(place)}>
      {visible(offer?.files[place.file] ?? "?")}:{place.line}
    </button>
  );
}
