import { useMemo } from "preact/hooks";
import type { HistoryEntry } from "../../protocol/api.ts";
import type { SideTab } from "../side/side-pane.tsx";
import { useApp } from "../state/app.ts";
import { itemId } from "../state/draft.ts";
import type { Command } from "./palette.tsx";
import type { Preferences } from "./preferences.ts";

interface CommandContext {
  readonly onSide: (tab: SideTab) => void;
  readonly preferences: Preferences;
  readonly onPreferences: (change: Partial<Preferences>) => void;
}

/** What the palette finds: items, saved calls, watched clients, revisions, actions. */
export function useCommands(entries: readonly HistoryEntry[], context: CommandContext): readonly Command[] {
  const { offer, state, go, adjust, api, report } = useApp();
  const { onSide, preferences, onPreferences } = context;
  return useMemo(() => {
    const items = (offer?.items ?? []).map((item) => ({
      id: `item-${itemId(item)}`.replaceAll(" ", "-"),
      label: item.key,
      aside: item.kind,
      run: () => go({ pane: "item", kind: item.kind, key: item.key }),
    }));
    const saved = entries
      .filter((entry) => entry.saved !== undefined)
      .map((entry) => ({
        id: `saved-${entry.id}`,
        label: entry.saved as string,
        aside: "saved call",
        run: () => go({ pane: "history", id: entry.id }),
      }));
    const revisions = state.revisions.map((revision, index) => ({
      id: `revision-${revision}`,
      label: `Use revision ${revision}`,
      aside: "action",
      run: () => adjust({ revision: index === 0 ? undefined : revision }),
    }));
    const clients = state.lanes
      .filter(({ role }) => role === "client" && state.abilities.calls)
      .map(({ conn, name, revision }) => ({
        id: conn,
        label: `What ${name} sees`,
        aside: revision ?? "client",
        run: () => go({ pane: "client", conn }),
      }));
    const action = (id: string, label: string, run: () => void): Command => ({ id, label, aside: "action", run });
    return [
      ...items,
      ...saved,
      ...clients,
      action("wire", "Show the wire", () => go({ pane: "wire" })),
      action("history", "Show the history", () => go({ pane: "history" })),
      action("copy", "Copy as a test, command, curl, link…", () => onSide("copy")),
      action("doctor", "Show the findings of doctor", () => onSide("doctor")),
      action("theme-light", "Light colors", () => onPreferences({ theme: "light" })),
      action("theme-dark", "Dark colors", () => onPreferences({ theme: "dark" })),
      action("theme-system", "Colors of the system", () => onPreferences({ theme: "system" })),
      action("toggle-wire", preferences.wire ? "Fold the wire" : "Unfold the wire", () =>
        onPreferences({ wire: !preferences.wire }),
      ),
      action("clear", "Clear the wire", () => {
        api.post("clear", {}).catch(report);
      }),
      action("reconnect", "Connect to the server again", () => {
        api.post("reconnect", {}).catch(report);
      }),
      ...revisions,
    ];
  }, [offer, state.revisions, state.lanes, entries, preferences]);
}
