import type { VNode } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { ApiClient } from "../api/client.ts";
import { HistoryView } from "../history/history-view.tsx";
import { useHistory } from "../history/use-history.ts";
import { ClientView } from "../panes/client-view.tsx";
import { SidePane, type SideTab } from "../side/side-pane.tsx";
import { useDoctor } from "../side/use-doctor.ts";
import { AppContext, useApp } from "../state/app.ts";
import { callsOf } from "../state/calls.ts";
import { draftOf, itemId, withDraft } from "../state/draft.ts";
import type { PageState } from "../state/page-state.ts";
import { withSeen } from "../state/reduce.ts";
import type { Store } from "../state/store.ts";
import { MessageView } from "../wire/message-view.tsx";
import { WirePane } from "../wire/wire-pane.tsx";
import { Announcer } from "./announcer.tsx";
import { Banners, Locked } from "./banners.tsx";
import { commandFor } from "./command.ts";
import { Header } from "./header.tsx";
import { ItemList } from "./item-list.tsx";
import { ItemView } from "./item-view.tsx";
import { KeyHelp } from "./key-help.tsx";
import { NARROW_PANES, type NarrowPane, NarrowTabs } from "./narrow-tabs.tsx";
import { Overview } from "./overview.tsx";
import { Palette } from "./palette.tsx";
import { usePreferences } from "./preferences.ts";
import { useActions } from "./use-actions.ts";
import { useAnnouncements } from "./use-announcements.ts";
import { useAppState } from "./use-app-state.ts";
import { useCommands } from "./use-commands.ts";
import { useDrafts } from "./use-drafts.ts";
import { useKeptFocus } from "./use-kept-focus.ts";
import { useLinkedDraft } from "./use-linked-draft.ts";

interface PageProps {
  readonly api: ApiClient;
  readonly store: Store<PageState>;
}

export function Page({ api, store }: PageProps): VNode {
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
          <span>{problem}</span>{" "}
          <button type="button" onClick={dismiss}>
            Dismiss
          </button>
        </div>
      )}
      <Announcer {...announcement} />
    </AppContext.Provider>
  );
}

function Shell({ store }: { readonly store: Store<PageState> }): VNode {
  const app = useApp();
  const { route, state } = app;
  const { shown } = route;
  const [preferences, setPreferences] = usePreferences();
  const [drafts, setDrafts] = useDrafts();
  const [made, setMade] = useState<ReadonlyMap<string, string>>(new Map());
  const [overlay, setOverlay] = useState<"palette" | "keys">();
  const [pane, setPane] = useState<NarrowPane>(shown.pane === "home" ? "list" : "request");
  const entries = useHistory();
  const findings = useDoctor();
  const bad = useMemo(() => findings?.filter(({ level }) => level !== "good"), [findings]);

  const id = shown.pane === "item" ? itemId(shown) : undefined;
  const draft = draftOf(drafts, id ?? "");
  const calls = useMemo(
    () => (shown.pane === "item" ? callsOf(shown, state.calls, made) : []),
    [shown, state.calls, made],
  );
  useLinkedDraft(id, draft, setDrafts);
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

  // A browser says late that a dialog was closed: the other one may be open then.
  const close = (closed: typeof overlay) => setOverlay((open) => (open === closed ? undefined : open));
  const openSide = (tab: SideTab) => {
    app.adjust({ side: tab });
    setPreferences({ side: true });
    setPane("more");
  };
  // A link that names a tab shows it, also to those who have folded the pane.
  const side = preferences.side || route.side !== undefined;
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
      <NarrowTabs panes={NARROW_PANES} pane={pane} onPane={setPane} />
      <ItemList history={entries} findings={bad} />
      <main id="main" tabIndex={-1} class="main">
        <Banners />
        <div class={shown.pane === "item" || shown.pane === "wire" ? "panes" : "panes one"}>
          {shown.pane === "item" && (
            <ItemView
              kind={shown.kind}
              itemKey={shown.key}
              draft={draft}
              onDraft={(next) => setDrafts((all) => withDraft(all, itemId(shown), next))}
              onCalled={(callId) => {
                setMade((all) => new Map(all).set(callId, itemId(shown)));
                setPane("answer");
              }}
              calls={calls}
              findings={bad?.filter(({ item }) => item?.kind === shown.kind && item.key === shown.key) ?? []}
            />
          )}
          {shown.pane === "wire" && <MessageView n={shown.n} onDrafts={setDrafts} />}
          {shown.pane === "history" && <HistoryView id={shown.id} entries={entries} onDrafts={setDrafts} />}
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
        draft={draft}
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
