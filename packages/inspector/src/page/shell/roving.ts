const STEPS: { readonly [key: string]: number } = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

/**
 * Moves the focus among the elements with `data-roving` of a list: one of them is in the order of Tab, the arrows reach the
 * others. Tabs also choose what gets the focus.
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
