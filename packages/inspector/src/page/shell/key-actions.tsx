import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { CallState } from "../../protocol/data.ts";
import { Button, TableHead } from "../parts/elements.tsx";
import { isTyping } from "../parts/tabs.tsx";
import { useApp } from "../state/app.ts";
import type { NarrowPane } from "./header.tsx";
import { type Action, actionFor, KEY_HELP } from "./keys.ts";

interface ActionContext {
  readonly singleKeys: boolean;
  /** The call that is shown. */
  readonly running: CallState | undefined;
  readonly onOverlay: (overlay: "palette" | "keys") => void;
  readonly onPane: (pane: NarrowPane) => void;
}

const GROUPS = { tools: "Tools", prompts: "Prompts", resources: "Resources" } as const;

/** Makes the keys of the page act. */
export function useActions({ singleKeys, running, onOverlay, onPane }: ActionContext): void {
  const { send, go } = useApp();

  function act(action: Action): boolean {
    switch (action.do) {
      case "palette":
      case "help":
        onOverlay(action.do === "help" ? "keys" : "palette");
        return true;
      case "find":
        onPane("list");
        focusOn("#find");
        return true;
      case "call":
        return submit();
      case "cancel":
        return cancel();
      case "go":
        return goTo(action.to);
      case "move":
        return move(action.by);
      case "tab":
        return chooseTab(action.by);
    }
  }

  function cancel(): boolean {
    if (running?.status !== "running" && running?.status !== "asks") return false;
    send("cancel", { id: running.id });
    return true;
  }

  function goTo(goal: Extract<Action, { do: "go" }>["to"]): boolean {
    if (goal === "wire" || goal === "history") go({ pane: goal });
    else {
      onPane("list");
      focusOn(`.groups [aria-label=${GROUPS[goal]}] [data-roving]`);
    }
    return true;
  }

  useKeys(singleKeys, act);
}

/** At once, so that the next key already arrives there; where a narrow page hides it, after the drawing. */
function focusOn(selector: string): void {
  const element = () => document.querySelector<HTMLElement>(selector);
  element()?.focus();
  if (document.activeElement === element()) return;
  requestAnimationFrame(() => requestAnimationFrame(() => element()?.focus()));
}

function submit(): boolean {
  const form = document.getElementById("request");
  if (!(form instanceof HTMLFormElement)) return false;
  form.requestSubmit();
  return true;
}

/** Within a list that has the focus, else among the items: those are opened. */
function move(by: 1 | -1): boolean {
  const list = document.activeElement?.closest(".wire-rows");
  const selector = list ? "[data-roving]" : ".groups [data-item]";
  const elements = [...(list ?? document).querySelectorAll<HTMLElement>(selector)];
  const current = list
    ? elements.indexOf(document.activeElement as HTMLElement)
    : elements.findIndex((element) => element.getAttribute("aria-current") === "page");
  const next = elements[Math.max(0, Math.min(elements.length - 1, current + by))];
  next?.focus();
  if (!list) next?.click();
  return next !== undefined;
}

function chooseTab(by: 1 | -1): boolean {
  const tabs = [...document.querySelectorAll<HTMLElement>('[data-tabs="result"] [role=tab]')];
  const chosen = tabs.findIndex((tab) => tab.getAttribute("aria-selected") === "true");
  const next = tabs[(chosen + by + tabs.length) % tabs.length];
  next?.click();
  return next !== undefined;
}

/** The second key of `g t` must follow within this time. */
const SEQUENCE = 1500;

/** Calls `act` for the keys of the page. It returns whether the key did something: otherwise the browser gets it. */
function useKeys(singleKeys: boolean, act: (action: Action) => boolean): void {
  const latest = useRef({ singleKeys, act });
  latest.current = { singleKeys, act };
  useEffect(() => {
    let goingSince = Number.NEGATIVE_INFINITY;
    function onKey(event: KeyboardEvent) {
      // A dialog has its own keys. One that is being composed, such as a Japanese word, belongs to its editor.
      if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]")) return;
      const { singleKeys, act } = latest.current;
      const typing = isTyping(event.target);
      const going = event.timeStamp - goingSince < SEQUENCE;
      goingSince = Number.NEGATIVE_INFINITY;
      const action = actionFor(event, { typing, singleKeys, going });
      const plain = !(event.ctrlKey || event.metaKey || event.altKey);
      if (action === undefined && plain && singleKeys && !typing && event.key === "g") goingSince = event.timeStamp;
      if (action !== undefined && act(action)) event.preventDefault();
    }
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

interface KeyHelpProps {
  readonly singleKeys: boolean;
  readonly onSingleKeys: (on: boolean) => void;
  readonly onClose: () => void;
}

export function KeyHelp({ singleKeys, onSingleKeys, onClose }: KeyHelpProps): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="keys" aria-labelledby="keys-title" onClose={onClose}>
      <h2 id="keys-title">Keys</h2>
      <table>
        <TableHead class="visually-hidden" columns={["Key", "What it does"]} />
        <tbody>
          {KEY_HELP.map(([keys, meaning]) => (
            <tr key={keys}>
              <td>
                <kbd>{keys}</kbd>
              </td>
              <td>{meaning}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <label>
        <input type="checkbox" checked={singleKeys} onChange={(event) => onSingleKeys(event.currentTarget.checked)} />{" "}
        Keys of a single letter act, if no field has the focus
      </label>
      <p>
        <Button label="Close" onClick={() => dialog.current?.close()} />
      </p>
    </dialog>
  );
}
