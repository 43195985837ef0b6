/** The rows that are drawn of a long list whose rows have one height, and where they begin. */
export interface Window {
  readonly first: number;
  readonly end: number;
}

/** Rows above and below the visible ones, for a scroll between two drawings. */
const MARGIN = 10;

export function windowOf(count: number, rowHeight: number, scrollTop: number, height: number): Window {
  const visible = Math.ceil(height / rowHeight);
  const top = Math.min(Math.max(0, Math.floor(scrollTop / rowHeight)), Math.max(0, count - visible));
  return { first: Math.max(0, top - MARGIN), end: Math.min(count, top + visible + MARGIN) };
}
