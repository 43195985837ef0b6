import type { VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { HistoryEntry } from "../../protocol/api.ts";
import type { SideTab } from "../side/side-pane.tsx";
import { useApp } from "../state/app.ts";
import { itemId } from "../state/calls.ts";
import { visible } from "../text/format.ts";
import type { Preferences } from "./header.tsx";

interface Command {
  readonly id: string;
  readonly label: string;
  readonly aside: string;
  run(): void;
}

const MAX_SHOWN = 50;

/** Everything that the page can show or do, found by typing. */
export function Palette(props: { readonly commands: readonly Command[]; readonly onClose: () => void }): VNode {
  const { commands, onClose } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const [wanted, setWanted] = useState("");
  const [at, setAt] = useState(0);
  useEffect(() => dialog.current?.showModal(), []);
  const found = findCommands(commands, wanted).slice(0, MAX_SHOWN);
  const chosen = found[Math.min(at, found.length - 1)];
  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    dialog.current?.close();
    command.run();
  };
  return (
    <dialog ref={dialog} class="palette" aria-label="Palette" onClose={onClose}>
      <input
        role="combobox"
        aria-label="Find an item or an action"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={chosen === undefined ? undefined : `palette-${chosen.id}`}
        autoFocus
        value={wanted}
        placeholder="Tool, prompt, resource, saved call or action"
        onInput={(event) => {
          setWanted(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
          if (step !== 0) setAt(Math.max(0, Math.min(found.length - 1, at + step)));
          if (event.key === "Enter") run(chosen);
          if (step !== 0 || event.key === "Enter") event.preventDefault();
        }}
      />
      <div role="listbox" id="palette-list" class="found" aria-label="Found" tabIndex={-1}>
        {found.map((command) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the combobox has the keys of its options
          <div
            key={command.id}
            role="option"
            id={`palette-${command.id}`}
            tabIndex={-1}
            aria-selected={command === chosen}
            ref={(element) => {
              if (command === chosen) element?.scrollIntoView({ block: "nearest" });
            }}
            onClick={() => run(command)}
          >
            <span>{visible(command.label)}</span> <span class="aside">{command.aside}</span>
          </div>
        ))}
      </div>
      {found.length === 0 && <p class="empty">Nothing is called so.</p>}
    </dialog>
  );
}

/** Those whose label starts with the text come first, then those that contain it. */
function findCommands(commands: readonly Command[], wanted: string): Command[] {
  const text = wanted.trim().toLowerCase();
  const rank = ({ label }: Command) => (label.toLowerCase().startsWith(text) ? 0 : 1);
  return commands
    .filter(({ label, aside }) => `${label} ${aside}`.toLowerCase().includes(text))
    .sort((a, b) => rank(a) - rank(b));
}

interface CommandContext {
  readonly onSide: (tab: SideTab) => void;
  readonly preferences: Preferences;
  readonly onPreferences: (change: Partial<Preferences>) => void;
}

/** The commands of the palette: items, saved calls, watched clients, revisions, actions. */
export function useCommands(entries: readonly HistoryEntry[], context: CommandContext): readonly Command[] {
  const { offer, state, go, adjust, send } = useApp();
  const { onSide, preferences, onPreferences } = context;
  return useMemo(() => {
    const command = (id: string, label: string, aside: string, run: () => void): Command => ({ id, label, aside, run });
    const action = (id: string, label: string, run: () => void) => command(id, label, "action", run);
    const items = (offer?.items ?? []).map((item) => {
      const { kind, key } = item;
      return command(`item-${itemId(item)}`.replaceAll(" ", "-"), key, kind, () => go({ pane: "item", kind, key }));
    });
    const saved = entries.flatMap(({ id, saved }) =>
      saved === undefined ? [] : command(`saved-${id}`, saved, "saved call", () => go({ pane: "history", id })),
    );
    const clients = state.lanes
      .filter(({ role }) => role === "client" && state.abilities.calls)
      .map(({ conn, name, revision = "client" }) =>
        command(conn, `What ${name} sees`, revision, () => go({ pane: "client", conn })),
      );
    const revisions = state.revisions.map((revision, index) =>
      action(`revision-${revision}`, `Use revision ${revision}`, () =>
        adjust({ revision: index === 0 ? undefined : revision }),
      ),
    );
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
      action("clear", "Clear the wire", () => send("clear", {})),
      action("reconnect", "Connect to the server again", () => send("reconnect", {})),
      ...revisions,
    ];
  }, [offer, state.revisions, state.lanes, entries, preferences]);
}
