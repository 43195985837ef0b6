import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Item, Place } from "../../protocol/data.ts";
import { useApp, useFetched } from "../state/app.ts";
import { visible } from "../text/format.ts";
import { coversLine, isWithin, jsonLines, placeOfPointer, pointersOfLine } from "./source-lines.ts";

/** The source of an item beside its schema. Looking at a line of one marks the lines of the other. */
export function SourceTab({ item }: { readonly item: Item }): VNode {
  const { api, offer, openPlace } = useApp();
  const [marked, setMarked] = useState<Place | string>();
  const view = useFetched(
    () => api.post("source", { kind: item.kind, key: item.key }),
    [api, item.kind, item.key, offer?.version],
  );
  const lines = useMemo(() => jsonLines(item.description), [item.description]);
  if (view === undefined || view instanceof Error) return <p>{visible(view?.message ?? "")}</p>;
  if (view.pieces.length === 0) return <p>The source of this {item.kind} is not known.</p>;
  const { places, pieces } = view;
  const place = typeof marked === "string" ? placeOfPointer(places, marked) : undefined;
  const pointers = typeof marked === "object" ? pointersOfLine(places, marked) : [];
  return (
    <div class="source-columns">
      <section aria-label="Source">
        {pieces.map(({ file, first, lines: code }) => (
          <div key={`${file}:${first}`}>
            <h3>{visible(offer?.files[file] ?? "?")}</h3>
            <div class="code-lines">
              {code.map((text, index) => {
                const at = { file, line: first + index };
                const isMarked = place !== undefined && coversLine(place, at);
                return (
                  <CodeLine
                    key={index}
                    number={at.line}
                    text={text}
                    isMarked={isMarked}
                    label={`Open line ${at.line} in the editor`}
                    onLook={() => setMarked(at)}
                    onOpen={() => openPlace(at)}
                  />
                );
              })}
            </div>
          </div>
        ))}
      </section>
      <section aria-label="Schema">
        <h3>What clients get</h3>
        <div class="code-lines">
          {lines.map(({ text, pointer }, index) => (
            <CodeLine
              key={index}
              text={text}
              isMarked={pointers.some((above) => isWithin(pointer, above))}
              label={`Open the source of ${pointer || "the description"} in the editor`}
              onLook={() => setMarked(pointer)}
              onOpen={() => {
                const found = placeOfPointer(places, pointer);
                if (found !== undefined) openPlace(found.place);
              }}
            />
          ))}
        </div>
      </section>
    </div>
  );
}

interface CodeLineProps {
  readonly number?: number;
  readonly text: string;
  readonly isMarked: boolean;
  readonly label: string;
  onLook(): void;
  onOpen(): void;
}

function CodeLine({ number, text, isMarked, label, onLook, onOpen }: CodeLineProps): VNode {
  return (
    <button
      type="button"
      class="code-line"
      title={label}
      aria-current={isMarked ? "true" : undefined}
      onMouseEnter={onLook}
      onFocus={onLook}
      onClick={onOpen}
    >
      {number !== undefined && <span class="number">{number}</span>}
      <code>{visible(text) || " "}</code>
    </button>
  );
}
