/** Runs `task` at the end of this event-loop turn. */
export function atEndOfTurn(task: () => void): void {
  const { setImmediate } = globalThis as { setImmediate?: (task: () => void) => void };
  if (setImmediate) setImmediate(task);
  else setTimeout(task, 0);
}
