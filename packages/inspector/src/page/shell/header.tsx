import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Edit } from "../../protocol/data.ts";
import { Button, Link, modifier, Select } from "../parts/elements.tsx";
import { moveFocus } from "../parts/tabs.tsx";
import { useApp } from "../state/app.ts";
import { duration, ESTIMATE, visible } from "../text/format.ts";
import { parse } from "../text/json.ts";

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
      <LoopState />
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
      <Button label="Connect" class="chip wide" onClick={() => onSide("copy")} />
      <Button
        label={theme === "dark" ? "☾" : theme === "light" ? "☀" : "◐"}
        class="chip wide"
        aria-label={`Colors: ${theme}`}
        onClick={() => onPreferences({ theme: NEXT_THEME[theme] })}
      />
      <Button label="?" class="chip wide" aria-label="Keys" onClick={onKeys} />
      <Button
        label={`${modifier()}K`}
        class="chip"
        aria-label={`Palette ${modifier()}K`}
        aria-keyshortcuts="Control+K Meta+K"
        onClick={onPalette}
      />
    </header>
  );
}

function LoopState(): VNode | null {
  const { target, connection, edit } = useApp().state;
  if (target === undefined) return null;
  const [tone, text] = describe(connection.state, edit?.edit);
  return (
    <span class={`chip loop ${tone}`}>
      <span aria-hidden="true">●</span> {target.kind} · {visible(target.name)} · {text}
    </span>
  );
}

function describe(connection: string, edit: Edit | undefined): [tone: string, text: string] {
  if (connection !== "connected") return [connection === "connecting" ? "" : "bad", connection];
  if (edit === undefined) return ["good", "connected"];
  if (edit.how === "broken") return ["bad", "broken edit, the last good version serves"];
  return ["good", `taken over in ${duration(edit.ms)}`];
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
          <Button label={each} key={each} class="chip" aria-pressed={each === revision} onClick={() => choose(each)} />
        ))}
      </fieldset>
      <Select class="narrow" aria-label="Revision" value={revision} options={revisions} onChoose={choose} />
    </>
  );
}

/** Below 1000 pixels one pane is visible at a time. */
export type NarrowPane = "list" | "request" | "answer" | "wire" | "more";

const NARROW_PANES: readonly (readonly [NarrowPane, string])[] = [
  ["list", "List"],
  ["request", "Request"],
  ["answer", "Answer"],
  ["more", "More"],
  ["wire", "Wire"],
];

/** Chooses it. Styles hide this row on wide screens, where all panes are visible. */
export function NarrowTabs(props: { readonly pane: NarrowPane; readonly onPane: (pane: NarrowPane) => void }): VNode {
  return (
    <nav class="narrow-tabs" aria-label="Panes" onKeyDown={moveFocus}>
      {NARROW_PANES.map(([id, label]) => (
        <Button
          label={label}
          key={id}
          aria-current={id === props.pane ? "true" : undefined}
          data-roving
          onClick={() => props.onPane(id)}
        />
      ))}
    </nav>
  );
}

/** How a person likes the page. Kept in the browser: nothing of it is secret or about the server. */
export interface Preferences {
  readonly theme: "system" | "light" | "dark";
  readonly singleKeys: boolean;
  /** Undefined until somebody folds or unfolds it. */
  readonly side: boolean | undefined;
  readonly wire: boolean;
}

const KEPT_AS = "proffer-inspector-preferences";
const DEFAULTS: Preferences = { theme: "system", singleKeys: true, side: undefined, wire: true };

export function usePreferences(): [Preferences, (change: Partial<Preferences>) => void] {
  const kept = () => parse(localStorage.getItem(KEPT_AS) ?? "") as Partial<Preferences> | undefined;
  const [preferences, setPreferences] = useState<Preferences>(() => ({ ...DEFAULTS, ...kept() }));
  return [
    preferences,
    (change) => {
      const next = { ...preferences, ...change };
      localStorage.setItem(KEPT_AS, JSON.stringify(next));
      setPreferences(next);
    },
  ];
}
