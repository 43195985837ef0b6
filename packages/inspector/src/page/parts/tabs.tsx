import type { ComponentChildren, VNode } from "preact";
import { useEffect } from "preact/hooks";
import { useApp } from "../state/app.ts";

interface Tab<Id extends string> {
  readonly id: Id;
  readonly label: ComponentChildren;
}

interface TabsProps<Id extends string> {
  /** Unique in the page: names the elements. */
  readonly name: string;
  readonly label: string;
  readonly tabs: readonly Tab<Id>[];
  readonly chosen: Id;
  readonly onChoose: (id: Id) => void;
}

/** A list of tabs. The chosen panel is drawn by the caller in a `TabPanel` of the same name. */
export function Tabs<Id extends string>({ name, label, tabs, chosen, onChoose }: TabsProps<Id>): VNode {
  return (
    <div role="tablist" aria-label={label} class="tabs" data-tabs={name} onKeyDown={(event) => moveFocus(event, true)}>
      {tabs.map((tab) => (
        <button
          key={tab.id}
          type="button"
          role="tab"
          id={`${name}-tab-${tab.id}`}
          aria-selected={tab.id === chosen}
          aria-controls={tab.id === chosen ? `${name}-panel` : undefined}
          tabIndex={tab.id === chosen ? 0 : -1}
          data-roving
          onClick={() => onChoose(tab.id)}
        >
          {tab.label}
        </button>
      ))}
    </div>
  );
}

export function TabPanel(props: {
  readonly name: string;
  readonly chosen: string;
  readonly children: ComponentChildren;
}): VNode {
  const { name, chosen, children } = props;
  return (
    <div role="tabpanel" id={`${name}-panel`} aria-labelledby={`${name}-tab-${chosen}`} class="tab-panel">
      {children}
    </div>
  );
}

/** The open tab of a pane: the one that the address names, if there is one of that name. Choosing one changes the address. */
export function useTab<Id extends string>(
  pane: "request" | "result" | "side",
  tabs: readonly Tab<Id>[],
  usual: Id,
): readonly [Id, (id: Id) => void] {
  const { route, adjust } = useApp();
  return [tabs.find(({ id }) => id === route[pane])?.id ?? usual, (id) => adjust({ [pane]: id })];
}

const STEPS: { readonly [key: string]: number } = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

/**
 * Moves the focus among the elements with `data-roving` of a list: one of them is in the order of Tab, the arrows reach the
 * others. A tab that gets the focus is also chosen.
 */
export function moveFocus(event: KeyboardEvent, choose = false): void {
  const list = event.currentTarget as HTMLElement;
  if (event.altKey || event.ctrlKey || event.metaKey || isTyping(event.target)) return;
  const elements = [...list.querySelectorAll<HTMLElement>("[data-roving]")];
  const at = elements.indexOf(event.target as HTMLElement);
  const next = targetOf(event.key, at, elements.length);
  if (next === undefined) return;
  event.preventDefault();
  elements[next]?.focus();
  if (choose) elements[next]?.click();
}

function targetOf(key: string, at: number, count: number): number | undefined {
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  const step = Object.hasOwn(STEPS, key) ? STEPS[key] : undefined;
  if (step === undefined || count === 0) return undefined;
  return Math.min(count - 1, Math.max(0, at + step));
}

/** Whether keys without a modifier write into an element. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches("input:not([type=checkbox],[type=radio]), textarea, select");
}

/**
 * Keeps the focus in the page. An element that is removed while it has the focus leaves it to the document, and Tab
 * begins anew at the top. It goes to the tab of the panel that had it instead, or to the main part (WCAG 2.4.3).
 */
export function useKeptFocus(): void {
  useEffect(() => {
    /** The element that had the focus last, and its ancestors. */
    let focused: Element[] = [];
    const isLost = () => document.activeElement === document.body;
    const observer = new MutationObserver(() => {
      if (focused[0] === undefined || focused[0].isConnected || !isLost()) return;
      const left = focused.find((element) => element.isConnected);
      focused = [];
      substituteFor(left)?.focus({ preventScroll: true });
    });
    function onFocus({ target }: FocusEvent) {
      focused = [];
      for (let each = target as Element | null; each instanceof Element; each = each.parentElement) focused.push(each);
    }
    // A press beside everything leaves the focus on purpose.
    function onPointer() {
      if (isLost() && focused[0]?.isConnected) focused = [];
    }
    addEventListener("focusin", onFocus);
    addEventListener("pointerup", onPointer);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      removeEventListener("focusin", onFocus);
      removeEventListener("pointerup", onPointer);
      observer.disconnect();
    };
  }, []);
}

function substituteFor(left: Element | undefined): HTMLElement | null {
  const tab = left?.closest("[role=tabpanel]")?.getAttribute("aria-labelledby");
  return document.getElementById(tab ?? "main") ?? document.getElementById("main");
}
