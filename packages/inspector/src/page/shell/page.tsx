import type { VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { CallState } from "../../protocol/data.ts";
import { ClientView } from "../panes/description.tsx";
import { HistoryView, useHistory } from "../panes/history-view.tsx";
import { Button } from "../parts/elements.tsx";
import { useKeptFocus } from "../parts/tabs.tsx";
import { useDoctor } from "../side/doctor-view.tsx";
import { SidePane, type SideTab } from "../side/side-pane.tsx";
import type { ApiClient } from "../state/api.ts";
import { AppContext, useApp, useAppState, useLinkedDraft } from "../state/app.ts";
import { callsOf, itemId } from "../state/calls.ts";
import { type PageState, type Store, withSeen } from "../state/inspector-state.ts";
import { duration, visible } from "../text/format.ts";
import { MessageView } from "../wire/message-view.tsx";
import { WirePane } from "../wire/wire-pane.tsx";
import { Banners, commandFor, Locked } from "./banners.tsx";
import { Header, type NarrowPane, NarrowTabs, usePreferences } from "./header.tsx";
import { ItemList } from "./item-list.tsx";
import { ItemView } from "./item-view.tsx";
import { KeyHelp, useActions } from "./key-actions.tsx";
import { Overview } from "./overview.tsx";
import { Palette, useCommands } from "./palette.tsx";

export function Page({ api, store }: { readonly api: ApiClient; readonly store: Store<PageState> }): VNode {
  const { app, announcement, problem, dismiss } = useAppState(api, store);
  useEffect(() => {
    const name = app.offer?.server.name ?? app.state.target?.name;
    document.title = name === undefined ? "Proffer inspector" : `${name} · Proffer inspector`;
  }, [app.offer?.server.name, app.state.target?.name]);
  if (app.stream === "earlier") return <Locked earlier command={commandFor(app.state.target)} />;
  return (
    <AppContext.Provider value={app}>
      <Shell store={store} />
      {problem !== undefined && (
        <div class="report" role="alert">
          <span>{problem}</span> <Button label="Dismiss" onClick={dismiss} />
        </div>
      )}
      <div class="visually-hidden">
        <div aria-live="polite" role="status">
          {announcement.polite}
        </div>
        <div aria-live="assertive" role="alert">
          {announcement.assertive}
        </div>
      </div>
    </AppContext.Provider>
  );
}

function Shell({ store }: { readonly store: Store<PageState> }): VNode {
  const app = useApp();
  const { route, state } = app;
  const { shown } = route;
  const [preferences, setPreferences] = usePreferences();
  const [made, setMade] = useState<ReadonlyMap<string, string>>(new Map());
  const [overlay, setOverlay] = useState<"palette" | "keys">();
  const [pane, setPane] = useState<NarrowPane>(shown.pane === "home" ? "list" : "request");
  const entries = useHistory();
  const findings = useDoctor();
  const bad = useMemo(() => findings?.filter(({ level }) => level !== "good"), [findings]);

  const id = shown.pane === "item" ? itemId(shown) : undefined;
  const calls = useMemo(
    () => (shown.pane === "item" ? callsOf(shown, state.calls, made) : []),
    [shown, state.calls, made],
  );
  useLinkedDraft(app, id);
  useAnnouncements();
  useKeptFocus();
  useEffect(() => {
    document.documentElement.dataset.theme = preferences.theme;
  }, [preferences.theme]);
  // A mark stays until its item is looked at.
  useEffect(() => {
    if (id === undefined || state.unseen.get(id) === "removed") return;
    store.set((all) => ({ ...all, inspector: withSeen(all.inspector, id) }));
  }, [id, state.unseen]);
  // Where only one pane is visible, it is the one that the address is about.
  useEffect(() => {
    if (shown.pane !== "home") setPane(shown.pane === "wire" && shown.n === undefined ? "wire" : "request");
  }, [shown.pane, id, shown.pane === "wire" ? shown.n : undefined]);

  // A browser reports late that a dialog was closed: the other one may be open then.
  const close = (closed: typeof overlay) => setOverlay((open) => (open === closed ? undefined : open));
  const openSide = (tab: SideTab) => {
    app.adjust({ side: tab });
    setPreferences({ side: true });
    setPane("more");
  };
  // A link that names a tab shows it, also if the pane is folded. With `dev`, there is nothing in it before an edit.
  const isUseful = state.target?.kind !== "dev" || state.edit !== undefined;
  const side = (preferences.side ?? isUseful) || route.side !== undefined;
  const running = calls.at(-1);
  useActions({ singleKeys: preferences.singleKeys, running, onOverlay: setOverlay, onPane: setPane });
  const commands = useCommands(entries, { onSide: openSide, onPreferences: setPreferences, preferences });

  return (
    <div class="page" data-narrow={pane} data-side={side} data-wire={preferences.wire}>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Header
        findings={bad?.length}
        preferences={preferences}
        onPreferences={setPreferences}
        onSide={openSide}
        onPalette={() => setOverlay("palette")}
        onKeys={() => setOverlay("keys")}
      />
      <NarrowTabs pane={pane} onPane={setPane} />
      <ItemList history={entries} findings={bad} />
      <main id="main" tabIndex={-1} class="main">
        <Banners />
        <div class={shown.pane === "item" || shown.pane === "wire" ? "panes" : "panes one"}>
          {shown.pane === "item" && (
            <ItemView
              kind={shown.kind}
              itemKey={shown.key}
              onCalled={(callId) => {
                setMade((all) => new Map(all).set(callId, itemId(shown)));
                setPane("answer");
              }}
              calls={calls}
              findings={bad?.filter(({ item }) => item?.kind === shown.kind && item.key === shown.key) ?? []}
            />
          )}
          {shown.pane === "wire" && <MessageView n={shown.n} />}
          {shown.pane === "history" && <HistoryView id={shown.id} entries={entries} />}
          {shown.pane === "client" && <ClientView key={shown.conn} conn={shown.conn} />}
          {shown.pane === "home" && <Overview />}
          {shown.pane === "unknown" && (
            <div class="overview">
              <h2>There is nothing at {shown.path}</h2>
              <p>Choose something on the left.</p>
            </div>
          )}
        </div>
      </main>
      <SidePane
        open={side}
        findings={findings}
        call={running}
        onOpen={(side) => {
          if (!side) app.adjust({ side: undefined });
          setPreferences({ side });
        }}
      />
      <WirePane open={preferences.wire} onOpen={(wire) => setPreferences({ wire })} />
      {overlay === "palette" && <Palette commands={commands} onClose={() => close("palette")} />}
      {overlay === "keys" && (
        <KeyHelp
          singleKeys={preferences.singleKeys}
          onSingleKeys={(singleKeys) => setPreferences({ singleKeys })}
          onClose={() => close("keys")}
        />
      )}
    </div>
  );
}

/** Announces the ends of calls and the questions of the server, except those before the page was opened. */
function useAnnouncements(): void {
  const { state, announce } = useApp();
  const said = useRef<Map<string, CallState> | undefined>(undefined);
  useEffect(() => {
    if (!state.ready) return;
    const before = said.current;
    said.current = new Map(state.calls);
    if (before === undefined) return;
    for (const call of state.calls.values()) {
      const last = before.get(call.id);
      if (last === call) continue;
      sayEnd(call, last, announce);
      for (const ask of call.asks) {
        const known = last?.asks.some(({ id }) => id === ask.id);
        if (ask.state === "open" && !known) announce(`The server asks: ${questionOf(ask.params)}`, "assertive");
      }
    }
  }, [state.calls, state.ready]);
}

function sayEnd(call: CallState, last: CallState | undefined, announce: (text: string) => void): void {
  if (call.status === last?.status) return;
  const time = call.ms === undefined ? "" : ` after ${duration(call.ms)}`;
  if (call.status === "done") announce(`Answer${time}`);
  if (call.status === "failed") announce(`The call failed${time}: ${visible(call.error?.message ?? "")}`);
  if (call.status === "canceled") announce("The call is canceled");
}

function questionOf(params: CallState["params"]): string {
  return typeof params.message === "string" ? visible(params.message) : "for an answer";
}
