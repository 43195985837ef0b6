import type { VNode } from "preact";
import type { Difference, Json } from "../../protocol/data.ts";
import { differences, lineDiff } from "../text/differences.ts";
import { visible } from "../text/format.ts";

const MAX_TEXT = 2000;

/** One place where two values differ. Signs and words say it too: colors are not alone. */
export function DifferenceView({ difference }: { readonly difference: Difference }): VNode {
  const { pointer, before, after } = difference;
  return (
    <div class="difference code">
      <div class="pointer">{visible(pointer || "the whole value")}</div>
      {before !== undefined && (
        <del>
          <span aria-hidden="true">− </span>
          {shown(before)}
        </del>
      )}
      {after !== undefined && (
        <ins>
          <span aria-hidden="true">+ </span>
          {shown(after)}
        </ins>
      )}
    </div>
  );
}

function shown(value: Json): string {
  const text = JSON.stringify(value, null, 2);
  return visible(text.length > MAX_TEXT ? `${text.slice(0, MAX_SHOWN)}…` : text);
}

const MAX_SHOWN = 50;
const MAX_LINES = 500;

/** Where a result differs from another one, by JSON pointer; texts of several lines by line. */
export function ResultDiff({ before, after }: { readonly before: Json; readonly after: Json }): VNode {
  const found = differences(before, after).filter(({ pointer }) => !pointer.startsWith("/_meta"));
  if (found.length === 0) return <p class="quiet">The same as before.</p>;
  return (
    <ul aria-label="Differences">
      {found.slice(0, MAX_SHOWN).map((difference) => (
        <li key={difference.pointer}>
          <Change difference={difference} />
        </li>
      ))}
      {found.length > MAX_SHOWN && <li>and {found.length - MAX_SHOWN} more</li>}
    </ul>
  );
}

function Change({ difference }: { readonly difference: Difference }): VNode {
  const { pointer, before, after } = difference;
  if (typeof before !== "string" || typeof after !== "string" || !`${before}${after}`.includes("\n")) {
    return <DifferenceView difference={difference} />;
  }
  return (
    <div class="difference">
      <div class="pointer">{visible(pointer)}</div>
      <pre>
        {lineDiff(before, after)
          .slice(0, MAX_LINES)
          .map(({ mark, text }, index) => (
            <span key={index} class={mark === "-" ? "removed" : mark === "+" ? "added" : ""}>
              {`${mark} ${visible(text)}\n`}
            </span>
          ))}
      </pre>
    </div>
  );
}
