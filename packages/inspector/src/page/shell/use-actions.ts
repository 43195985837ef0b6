import type { CallState } from "../../protocol/call.ts";
import { useApp } from "../state/app.ts";
import type { Action } from "./keys.ts";
import type { NarrowPane } from "./narrow-tabs.tsx";
import { useKeys } from "./use-keys.ts";

interface ActionContext {
  readonly singleKeys: boolean;
  /** The call that is shown. */
  readonly running: CallState | undefined;
  readonly onOverlay: (overlay: "palette" | "keys") => void;
  readonly onPane: (pane: NarrowPane) => void;
}

const GROUPS = { tools: "Tools", prompts: "Prompts", resources: "Resources" } as const;

/** What the keys of the page do. */
export function useActions({ singleKeys, running, onOverlay, onPane }: ActionContext): void {
  const { api, go, report } = useApp();

  function act(action: Action): boolean {
    switch (action.do) {
      case "palette":
        onOverlay("palette");
        return true;
      case "help":
        onOverlay("keys");
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
    api.post("cancel", { id: running.id }).catch(report);
    return true;
  }

  function goTo(goal: Extract<Action, { do: "go" }>["to"]): boolean {
    if (goal === "wire") go({ pane: "wire" });
    else if (goal === "history") go({ pane: "history" });
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
