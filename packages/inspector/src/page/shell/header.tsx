import type { VNode } from "preact";
import { useApp } from "../state/app.ts";
import type { InspectorState } from "../state/inspector-state.ts";
import { duration, ESTIMATE } from "../text/units.ts";
import { visible } from "../text/visible.ts";
import { Link } from "./link.tsx";
import { MODIFIER } from "./modifier.ts";
import type { Preferences } from "./preferences.ts";

interface HeaderProps {
  /** The number of findings; undefined if there are none to have. */
  readonly findings: number | undefined;
  readonly preferences: Preferences;
  readonly onPreferences: (change: Partial<Preferences>) => void;
  readonly onSide: (tab: "doctor" | "copy") => void;
  readonly onPalette: () => void;
  readonly onKeys: () => void;
}

const NEXT_THEME = { system: "light", light: "dark", dark: "system" } as const;

export function Header(props: HeaderProps): VNode {
  const { findings, preferences, onPreferences, onSide, onPalette, onKeys } = props;
  const { state, offer } = useApp();
  const { theme } = preferences;
  return (
    <header class="header">
      <h1>
        <Link to={{ pane: "home" }}>
          {visible(offer?.server.title ?? offer?.server.name ?? state.target?.name ?? "Inspector")}
        </Link>
      </h1>
      <LoopState state={state} />
      <Revisions />
      <span class="grow" />
      {findings !== undefined && (
        <button type="button" class="chip" onClick={() => onSide("doctor")}>
          Doctor <b class={findings > 0 ? "warning" : ""}>{findings}</b>
        </button>
      )}
      {offer !== undefined && offer.tokens > 0 && (
        <span class="chip wide" title={ESTIMATE}>
          ≈ {offer.tokens} tokens
        </span>
      )}
      <button type="button" class="chip wide" onClick={() => onSide("copy")}>
        Connect
      </button>
      <button
        type="button"
        class="chip wide"
        aria-label={`Colors: ${theme}`}
        onClick={() => onPreferences({ theme: NEXT_THEME[theme] })}
      >
        {theme === "dark" ? "☾" : theme === "light" ? "☀" : "◐"}
      </button>
      <button type="button" class="chip wide" aria-label="Keys" onClick={onKeys}>
        ?
      </button>
      <button
        type="button"
        class="chip"
        aria-label={`Palette ${MODIFIER}K`}
        aria-keyshortcuts="Control+K Meta+K"
        onClick={onPalette}
      >
        {MODIFIER}K
      </button>
    </header>
  );
}

function LoopState({ state }: { readonly state: InspectorState }): VNode | null {
  const { target, connection, edit } = state;
  if (target === undefined) return null;
  const told = toldAbout(connection.state, edit?.edit);
  return (
    <span class={`chip loop ${told.tone}`}>
      <span aria-hidden="true">●</span> {target.kind} · {visible(target.name)} · {told.text}
    </span>
  );
}

type EditState = NonNullable<InspectorState["edit"]>["edit"];

function toldAbout(connection: string, edit: EditState | undefined): { readonly tone: string; readonly text: string } {
  if (connection !== "connected") return { tone: connection === "connecting" ? "" : "bad", text: connection };
  if (edit === undefined) return { tone: "good", text: "connected" };
  if (edit.how === "broken") return { tone: "bad", text: "broken edit, the last good version serves" };
  return { tone: "good", text: `taken over in ${duration(edit.ms)}` };
}

/** The revision of the page's own calls. */
function Revisions(): VNode | null {
  const { state, revision, adjust } = useApp();
  const { revisions } = state;
  if (revisions.length === 0) return null;
  const choose = (chosen: string) => adjust({ revision: chosen === revisions[0] ? undefined : chosen });
  return (
    <>
      <fieldset class="revisions wide">
        <legend class="visually-hidden">Revision</legend>
        {revisions.map((each) => (
          <button key={each} type="button" class="chip" aria-pressed={each === revision} onClick={() => choose(each)}>
            {each}
          </button>
        ))}
      </fieldset>
      <select
        class="narrow"
        aria-label="Revision"
        value={revision}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        {revisions.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
    </>
  );
}
