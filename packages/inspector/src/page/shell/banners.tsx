import type { VNode } from "preact";
import type { Target } from "../../protocol/data.ts";
import { Button, Preformatted } from "../parts/elements.tsx";
import { Frame } from "../side/edit-view.tsx";
import { useApp } from "../state/app.ts";
import { visible } from "../text/format.ts";

/** Problems of the connection to Node, of the server, or of the last edit: above the panes, in place. */
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
  const { state, send } = useApp();
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
          <Preformatted text={visible(stderr.slice(-4000))} />
        </details>
      )}
      <Button label="Connect again" onClick={() => send("reconnect", {})} />
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

/** The command that starts the inspector of a target again. */
export function commandFor(target: Target | undefined): string {
  if (target === undefined) return "npx proffer dev <module> --inspect";
  if (target.kind === "dev") return `npx proffer dev ${target.name} --inspect`;
  return target.kind === "command" ? `npx proffer inspect -- ${target.name}` : `npx proffer inspect ${target.name}`;
}
