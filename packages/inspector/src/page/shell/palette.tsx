import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { visible } from "../text/visible.ts";

export interface Command {
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
