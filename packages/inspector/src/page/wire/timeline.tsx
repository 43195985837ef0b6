import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button, Link } from "../parts/elements.tsx";
import { moveFocus } from "../parts/tabs.tsx";
import { windowOf } from "../result/rows.ts";
import { useApp } from "../state/app.ts";
import { duration, size, visible } from "../text/format.ts";
import { type Axis, axisOf, placeOn, type Row, type Segment } from "./exchange.ts";

/** The height of a row in pixels; the style sheet has the same. */
const ROW_HEIGHT = 24;
const COLUMNS = ["at", "", "message", "revision", "status", "bytes", "took"] as const;

/** Somebody has something to do yet: the person, or the server that keeps a stream open. */
const WAITS = /^(?:input_required|open)\b/;

/** The rows of the timeline; only those that can be seen are in the document. */
export function Timeline(props: { readonly rows: readonly Row[]; readonly onToggle: (id: string) => void }): VNode {
  const { rows, onToggle } = props;
  const box = useRef<HTMLDivElement>(null);
  const [scroll, setScroll] = useState({ top: 0, height: 300 });
  const atEnd = useRef(true);
  const height = useRef(0);
  const measure = () => {
    const { scrollTop = 0, clientHeight = 300, scrollHeight = 0 } = box.current ?? {};
    atEnd.current = scrollTop + clientHeight >= scrollHeight - ROW_HEIGHT;
    height.current = clientHeight;
    setScroll({ top: scrollTop, height: clientHeight });
  };
  // Follows new messages, unless someone looks at old ones. A list that a banner makes smaller stays at its end.
  const follow = () => {
    if (atEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight;
    measure();
  };
  useEffect(() => {
    const observer = new ResizeObserver(follow);
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(follow, [rows.length]);
  // A scroll is reported before a new size of the same frame: then nobody looked at old messages.
  const scrolled = () => (box.current?.clientHeight === height.current ? measure() : follow());
  const { first, end } = windowOf(rows.length, ROW_HEIGHT, scroll.top, scroll.height);
  const shown = rows.slice(first, end);
  const axis = axisOf(shown.map(({ segments }) => segments));
  return (
    <div class="wire-box" ref={box} onScroll={scrolled}>
      <Hatching />
      <table class="wire-table" aria-label="Messages" aria-rowcount={rows.length + 1}>
        <thead>
          <tr class="wire-row head" aria-rowindex={1}>
            {COLUMNS.map((name, index) => (
              <th scope="col" key={name} class={`cell c${index}`}>
                {name || <span class="visually-hidden">direction</span>}
              </th>
            ))}
            <th scope="col" class="cell c7">
              {duration(axis.from)} – {duration(axis.to)}
            </th>
          </tr>
        </thead>
        <tbody class="wire-rows" style={{ height: `${rows.length * ROW_HEIGHT}px` }} onKeyDown={moveFocus}>
          {shown.map((row, index) => (
            <TimelineRow key={row.id} row={row} index={first + index} axis={axis} onToggle={onToggle} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function TimelineRow(props: {
  readonly row: Row;
  readonly index: number;
  readonly axis: Axis;
  readonly onToggle: (id: string) => void;
}): VNode {
  const { row, index, axis, onToggle } = props;
  const { route } = useApp();
  const { line, depth, open } = row;
  const current = route.shown.pane === "wire" && route.shown.n === line.n;
  return (
    <tr
      class={`wire-row ${row.failed ? "failed" : WAITS.test(row.status) ? "waits" : ""} ${current ? "current" : ""}`}
      aria-rowindex={index + 2}
      style={{ top: `${index * ROW_HEIGHT}px` }}
    >
      <td class="cell c0">{depth === 0 ? (line.at / 1000).toFixed(3) : ""}</td>
      <td class="cell c1">
        {line.dir === "out" ? "→" : "←"}
        <span class="visually-hidden">{line.dir === "out" ? " to the server" : " from the server"}</span>
      </td>
      <td class={`cell c2 depth${depth}`}>
        {open !== undefined && (
          <Button
            label={open ? "▾" : "▸"}
            class="fold"
            aria-expanded={open}
            aria-label={`What belongs to ${visible(row.label)}`}
            tabIndex={-1}
            onClick={() => onToggle(row.id)}
          />
        )}
        <Link
          to={{ pane: "wire", n: line.n }}
          class="code"
          data-roving
          tabIndex={current || index === 0 ? 0 : -1}
          aria-current={current ? "page" : undefined}
          onKeyDown={(event) => {
            const wanted = event.key === "ArrowRight" ? false : event.key === "ArrowLeft" ? true : undefined;
            if (wanted === undefined) return;
            event.preventDefault();
            event.stopPropagation();
            if (open === wanted) onToggle(row.id);
          }}
        >
          {visible(row.label)}
        </Link>
      </td>
      <td class="cell c3">{depth === 0 ? line.revision : ""}</td>
      <td class="cell c4 status">{visible(row.status)}</td>
      <td class="cell c5">{row.back === undefined ? size(row.there) : `${size(row.there)} → ${size(row.back)}`}</td>
      <td class="cell c6">
        {row.ms === undefined ? "" : duration(row.ms)}
        {row.waitedForPerson ? " + you" : ""}
      </td>
      <td class="cell c7">
        <Bar segments={row.segments} axis={axis} />
      </td>
    </tr>
  );
}

function Bar({ segments, axis }: { readonly segments: readonly Segment[]; readonly axis: Axis }): VNode {
  return (
    <svg class="bar" aria-hidden="true" width="100%" height="10">
      {segments.map((segment) => {
        const { x, width } = placeOn(axis, segment);
        return (
          <rect
            key={`${segment.kind} ${segment.from}`}
            class={segment.kind}
            x={`${x}%`}
            width={`${width}%`}
            y="1"
            height="8"
            rx="2"
          />
        );
      })}
    </svg>
  );
}

/** The pattern of the time that people take. */
function Hatching(): VNode {
  return (
    <svg class="visually-hidden" aria-hidden="true">
      <defs>
        <pattern id="hatching" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect class="hatch" width="3" height="6" />
        </pattern>
      </defs>
    </svg>
  );
}
