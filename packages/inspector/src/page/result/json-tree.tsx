import type { VNode } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import type { Json } from "../../protocol/data.ts";
import { Button } from "../parts/elements.tsx";
import { visible } from "../text/format.ts";
import { LongText } from "./long-text.tsx";
import { openAtStart, sizeOf, summaryOf, type TreeRow, treeRows, windowOf } from "./rows.ts";

const ROW = 22;
/** More rows than this are drawn only where one looks. */
const MAX_DRAWN = 200;
const HEIGHT = 20 * ROW;

/** A JSON value as a tree that opens and closes, or as text. */
export function JsonTree({ value, label }: { readonly value: Json; readonly label: string }): VNode {
  const [asText, setAsText] = useState(false);
  const isFlat = typeof value !== "object" || value === null;
  if (isFlat) return <LongText text={JSON.stringify(value)} label={label} />;
  return (
    <div class="json">
      <Button label={asText ? "as tree" : "as text"} class="plain corner" onClick={() => setAsText(!asText)} />
      {asText ? <LongText text={JSON.stringify(value, null, 2)} label={label} /> : <Tree value={value} label={label} />}
    </div>
  );
}

function Tree({ value, label }: { readonly value: Json; readonly label: string }): VNode {
  const start = useMemo(() => openAtStart(value), [value]);
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [current, setCurrent] = useState("");
  const [scroll, setScroll] = useState(0);
  const element = useRef<HTMLDivElement>(null);
  const isOpen = (pointer: string) => start.has(pointer) !== toggled.has(pointer);
  const rows = useMemo(() => treeRows(value, isOpen), [value, start, toggled]);
  const isLong = rows.length > MAX_DRAWN;
  const { first, end } = isLong ? windowOf(rows.length, ROW, scroll, HEIGHT) : { first: 0, end: rows.length };
  const focused = rows.some(({ pointer }) => pointer === current) ? current : "";

  function toggle(pointer: string): void {
    const next = new Set(toggled);
    if (!next.delete(pointer)) next.add(pointer);
    setToggled(next);
  }

  function focus(row: TreeRow | undefined): void {
    if (row === undefined) return;
    setCurrent(row.pointer);
    const index = rows.indexOf(row);
    const box = element.current;
    if (box === null) return;
    if (isLong && (index < first || index >= end)) box.scrollTop = index * ROW;
    requestAnimationFrame(() => box.querySelector<HTMLElement>('[tabindex="0"]')?.focus());
  }

  function onKeyDown(event: KeyboardEvent): void {
    const at = rows.findIndex(({ pointer }) => pointer === focused);
    const row = rows[at];
    if (row === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const moves: { [key: string]: () => void } = {
      ArrowDown: () => focus(rows[at + 1]),
      ArrowUp: () => focus(rows[at - 1]),
      Home: () => focus(rows[0]),
      End: () => focus(rows.at(-1)),
      ArrowRight: () => (row.open === false ? toggle(row.pointer) : row.open && focus(rows[at + 1])),
      ArrowLeft: () =>
        row.open ? toggle(row.pointer) : focus(rows.slice(0, at).findLast(({ depth }) => depth === row.depth - 1)),
      Enter: () => row.open !== undefined && toggle(row.pointer),
    };
    const move = Object.hasOwn(moves, event.key) ? moves[event.key] : undefined;
    if (move === undefined) return;
    event.preventDefault();
    move();
  }

  function onClick(event: MouseEvent): void {
    const pointer = (event.target as Element).closest<HTMLElement>("[data-row]")?.dataset.row;
    if (rows.some((row) => row.pointer === pointer && row.open !== undefined)) toggle(pointer as string);
  }

  return (
    <div
      ref={element}
      class={isLong ? "tree long" : "tree"}
      role="tree"
      aria-label={label}
      onKeyDown={onKeyDown}
      onClick={onClick}
      onScroll={(event) => isLong && setScroll(event.currentTarget.scrollTop)}
    >
      <div role="none" style={{ height: `${first * ROW}px` }} />
      {rows.slice(first, end).map((row) => (
        <Row key={row.pointer} row={row} isFocused={row.pointer === focused} onFocus={setCurrent} />
      ))}
      <div role="none" style={{ height: `${(rows.length - end) * ROW}px` }} />
    </div>
  );
}

function Row(props: { readonly row: TreeRow; readonly isFocused: boolean; onFocus(pointer: string): void }): VNode {
  const { row, isFocused, onFocus } = props;
  const { pointer, depth, name, value, open, position, siblings } = row;
  return (
    <div
      role="treeitem"
      aria-level={depth + 1}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-expanded={open}
      aria-selected={isFocused}
      tabIndex={isFocused ? 0 : -1}
      title={visible(pointer) || "/"}
      class="tree-row"
      data-row={pointer}
      style={{ paddingInlineStart: `${depth + 1}rem` }}
      onFocus={() => onFocus(pointer)}
    >
      {open !== undefined && <span class="twist">{open ? "▾" : "▸"}</span>}
      {name !== undefined && <span class="name">{visible(name)}:</span>}
      <span class={open ? "quiet" : value === null ? "word" : typeof value}>
        {visible(open ? sizeOf(value) : summaryOf(value))}
      </span>
    </div>
  );
}
