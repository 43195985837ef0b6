/** Does something when all that is ready has been done, and before anything that is to come. */
export function atEndOfTurn(task: () => void): void {
  const { setImmediate } = globalThis as { setImmediate?: (task: () => void) => void };
  if (setImmediate) setImmediate(task);
  else setTimeout(task, 0);
}
