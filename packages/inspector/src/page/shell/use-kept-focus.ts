import { useEffect } from "preact/hooks";

/**
 * Keeps the focus in the page. An element that is removed while it has the focus leaves it to the document, and Tab
 * begins anew at the top. It goes to the tab of the panel that had it instead, or to the main part (WCAG 2.4.3).
 */
export function useKeptFocus(): void {
  useEffect(() => {
    /** The element that had the focus last, and what it was in. */
    let held: readonly Element[] = [];
    const isLost = () => document.activeElement === document.body;
    const observer = new MutationObserver(() => {
      if (held[0] === undefined || held[0].isConnected || !isLost()) return;
      const left = held.find((element) => element.isConnected);
      held = [];
      substituteFor(left)?.focus({ preventScroll: true });
    });
    function onFocus({ target }: FocusEvent) {
      held = [];
      if (target instanceof Element) held = withAncestors(target);
    }
    // Who presses beside everything wants no focus.
    function onPointer() {
      if (isLost() && held[0]?.isConnected) held = [];
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

function withAncestors(element: Element): Element[] {
  const found: Element[] = [];
  for (let each: Element | null = element; each !== null; each = each.parentElement) found.push(each);
  return found;
}

function substituteFor(left: Element | undefined): HTMLElement | null {
  const tab = left?.closest("[role=tabpanel]")?.getAttribute("aria-labelledby");
  return document.getElementById(tab ?? "main") ?? document.getElementById("main");
}
