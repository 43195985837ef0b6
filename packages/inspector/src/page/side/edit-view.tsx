import { Fragment, type VNode } from "preact";
import type { Change, EditProblem } from "../../protocol/data.ts";
import { Button, Link, PlaceButton } from "../parts/elements.tsx";
import { DifferenceView } from "../result/difference-view.tsx";
import { useApp } from "../state/app.ts";
import { itemId } from "../state/calls.ts";
import { visible } from "../text/format.ts";

const SIGNS = { added: "+", removed: "−", changed: "~" } as const;

/** The changes of the last edit for clients. */
export function EditView(): VNode {
  const { state, offer } = useApp();
  const { edit } = state;
  if (edit === undefined) {
    return <p class="empty">Save a change to the module: its effects for clients and models appear here.</p>;
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

/** The space of the mark and the number before a line. */
const GUTTER = " ".repeat(7);

/** The space that a text takes. Tabs stay, because their width depends on the column. */
function blank(text: string): string {
  return text.replace(/[^\t]/g, " ");
}

/** A problem of an edit, with some lines around it. */
export function Frame(props: { readonly problem: EditProblem; readonly files: readonly string[] }): VNode {
  const { problem, files } = props;
  const { openPlace } = useApp();
  const { file, line, column, code, message, remedy, frame } = problem;
  const at = file === undefined ? undefined : `${files[file] ?? "?"}:${line ?? 1}${column ? `:${column}` : ""}`;
  return (
    <div class="edit-problem">
      <p>
        {at !== undefined && (
          <Button
            label={at}
            class="plain code"
            onClick={() => openPlace({ file: file as number, line: line ?? 1, ...(column ? { column } : {}) })}
          />
        )}{" "}
        {code !== undefined && <code>{code}</code>} {visible(message)}
      </p>
      {frame !== undefined && (
        <pre class="code-frame">
          {frame.lines.map((text, index) => {
            const number = frame.first + index;
            const isHere = number === line;
            return (
              <span key={number} class={isHere ? "frame-line here" : "frame-line"}>
                <span class="number">{`${isHere ? ">" : " "} ${String(number).padStart(4)} `}</span>
                {`${visible(text)}\n`}
                {isHere && column ? `${GUTTER}${blank(visible(text.slice(0, column - 1)))}^\n` : ""}
              </span>
            );
          })}
        </pre>
      )}
      {remedy !== undefined && <p class="remedy">{visible(remedy)}</p>}
    </div>
  );
}
