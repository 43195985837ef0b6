import type { VNode } from "preact";
import type { EditProblem } from "../../protocol/edit.ts";
import { useApp } from "../state/app.ts";
import { visible } from "../text/visible.ts";
import { commandFor } from "./command.ts";

/** What is wrong with the page's own connection to Node, with the server, or with the last edit: above the panes, in place. */
export function Banners(): VNode | null {
  const { stream, state, refusal } = useApp();
  return (
    <>
      {stream === "interrupted" && (
        <div class="banner" role="status">
          <b>{refusal ?? "The inspector does not answer."}</b> What you typed is kept; the page connects again by
          itself. If the command has ended, start it again: <code>{commandFor(state.target)}</code>
        </div>
      )}
      <LostServer />
      <BrokenEdit />
    </>
  );
}

/** The whole page, if it has no secret or that of an earlier start. */
export function Locked({ earlier, command }: { readonly earlier: boolean; readonly command: string }): VNode {
  return (
    <main class="locked">
      <h1>{earlier ? "This page is of an earlier start" : "This address lacks its secret"}</h1>
      <p>
        {earlier
          ? "The inspector was started again and has a new secret, so this page can do nothing any more."
          : "Only the address that the command printed opens the inspector: its end, after #k=, is a secret of that start."}
      </p>
      <p>
        Open the address that the terminal shows, or press <kbd>o</kbd> there. If nothing runs any more, start it again:
      </p>
      <pre>{command}</pre>
    </main>
  );
}

function LostServer(): VNode | null {
  const { state, api, report } = useApp();
  const { connection, stderr } = state;
  if (connection.state !== "lost" && connection.state !== "failed") return null;
  return (
    <div class="banner bad" role="alert">
      <p>
        <b>{connection.state === "lost" ? "The server is gone." : "The server cannot be reached."}</b>{" "}
        {visible(connection.message ?? "")} {visible(connection.remedy ?? "")}
      </p>
      {stderr !== "" && (
        <details open>
          <summary>What it wrote to stderr last</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs the keyboard */}
          <pre tabIndex={0}>{visible(stderr.slice(-4000))}</pre>
        </details>
      )}
      <button type="button" onClick={() => api.post("reconnect", {}).catch(report)}>
        Connect again
      </button>
    </div>
  );
}

function BrokenEdit(): VNode | null {
  const { state } = useApp();
  const edit = state.edit?.edit;
  if (edit?.how !== "broken") return null;
  return (
    <section class="banner bad frame" role="alert" aria-label="Broken edit">
      <p>
        <b>Your edit does not work yet.</b> The last good version still serves, and calls go there.
      </p>
      {edit.problems.map((problem) => (
        <Frame key={`${problem.file} ${problem.line} ${problem.message}`} problem={problem} files={edit.files} />
      ))}
    </section>
  );
}

export function Frame(props: { readonly problem: EditProblem; readonly files: readonly string[] }): VNode {
  const { problem, files } = props;
  const { openPlace } = useApp();
  const { file, line, column, code, message, remedy, frame } = problem;
  const at = file === undefined ? undefined : `${files[file] ?? "?"}:${line ?? 1}${column ? `:${column}` : ""}`;
  return (
    <div class="edit-problem">
      <p>
        {at !== undefined && (
          <button
            type="button"
            class="plain code"
            onClick={() => openPlace({ file: file as number, line: line ?? 1, ...(column ? { column } : {}) })}
          >
            {at}
          </button>
        )}{" "}
        {code !== undefined && <code>{code}</code>} {visible(message)}
      </p>
      {frame !== undefined && (
        <pre class="code-frame">
          {frame.lines.map((text, index) => {
            const number = frame.first + index;
            return (
              <span key={number} class={number === line ? "code-line here" : "code-line"}>
                <span class="number">
                  {number === line ? ">" : " "} {String(number).padStart(4)}
                </span>{" "}
                {visible(text)}
                {"\n"}
                {number === line && column ? `${" ".repeat(7 + column - 1)}^\n` : ""}
              </span>
            );
          })}
        </pre>
      )}
      {remedy !== undefined && <p class="remedy">{visible(remedy)}</p>}
    </div>
  );
}
