import { Fragment, type VNode } from "preact";
import type { Change } from "../../protocol/edit.ts";
import { Frame } from "../shell/banners.tsx";
import { Link } from "../shell/link.tsx";
import { PlaceButton } from "../shell/place-button.tsx";
import { useApp } from "../state/app.ts";
import { itemId } from "../state/draft.ts";
import { DifferenceView } from "./difference-view.tsx";

const SIGNS = { added: "+", removed: "−", changed: "~" } as const;

/** What the last edit changed for those who call the server. */
export function EditView(): VNode {
  const { state, offer } = useApp();
  const { edit } = state;
  if (edit === undefined) {
    return <p class="empty">Save a change to the module: what it changes for clients and models shows here.</p>;
  }
  const time = new Date(edit.at).toLocaleTimeString();
  if (edit.edit.how === "broken") return <p class="empty">The edit of {time} does not work yet; see above.</p>;
  const { changes, problems } = edit.edit;
  return (
    <>
      <p class="note">Edit of {time}</p>
      {changes.length === 0 && <p>Nothing that clients can see has changed.</p>}
      {changes.map((change) => (
        <ChangeView key={itemId(change)} change={change} />
      ))}
      {problems.map((problem) => (
        <Frame key={`${problem.line} ${problem.message}`} problem={problem} files={offer?.files ?? []} />
      ))}
    </>
  );
}

function ChangeView({ change }: { readonly change: Change }): VNode {
  const { kind, key, how, parts, place } = change;
  return (
    <section class="change" aria-label={`${how} ${kind} ${key}`}>
      <h3>
        <span aria-hidden="true">{SIGNS[how]}</span> <Link to={{ pane: "item", kind, key }}>{key}</Link>{" "}
        <small>
          {how} {kind}
        </small>
      </h3>
      {parts.map((part) => (
        <Fragment key={part.pointer}>
          <DifferenceView difference={part} />
          {part.place !== undefined && <PlaceButton place={part.place} />}
        </Fragment>
      ))}
      {place !== undefined && <PlaceButton place={place} />}
    </section>
  );
}
