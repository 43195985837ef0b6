import type { VNode } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { Button } from "../parts/elements.tsx";
import { visible } from "../text/format.ts";
import { parse, pointerOf } from "../text/json.ts";
import { indent, lineBreak, matchingBrackets, type Scan, scanJson, type TextEdit } from "../text/json-text.ts";
import type { Field } from "./field.ts";
import { hintsAt } from "./fits.ts";

/** Longer texts have no colors and no place of the caret. */
const MAX_SCANNED = 300_000;
const NOTHING: Scan = { tokens: [], path: [], inName: false };

interface EditorProps {
  /** Attributes of the text area: its id and descriptions. */
  readonly control: { readonly id: string; readonly [attribute: string]: unknown };
  readonly label: string;
  readonly text: string;
  onText(text: string): void;
  /** For hints. */
  readonly field?: Field;
  readonly placeholder?: string;
}

/** A text area over a colored copy of its text. The text is the state: nothing is written back from a parsed value. */
export function JsonEditor({ control, label, text, onText, field, placeholder = "" }: EditorProps): VNode {
  const area = useRef<HTMLTextAreaElement>(null);
  const [caret, setCaret] = useState(-1);
  const [leaving, setLeaving] = useState(false);
  const isShort = text.length <= MAX_SCANNED;
  const scan = useMemo(() => (isShort ? scanJson(text, caret) : NOTHING), [text, caret, isShort]);
  const isEmpty = text.trim() === "";
  const error = isEmpty ? undefined : scan.error;
  const hints = field === undefined || caret < 0 ? [] : hintsAt(field, parse(text), scan.path, scan.inName);

  function apply(edit: TextEdit): void {
    const element = area.current;
    if (element === null) return;
    element.focus();
    element.setSelectionRange(edit.start, edit.end);
    // The only way that keeps the undo of the browser; elsewhere undo loses one step.
    if (!document.execCommand("insertText", false, edit.text)) element.setRangeText(edit.text);
    element.setSelectionRange(edit.caret, edit.caret);
    onText(element.value);
    setCaret(edit.caret);
  }

  function format(): void {
    const value = parse(text);
    if (value === undefined) return;
    const formatted = JSON.stringify(value, null, 2);
    apply({ start: 0, end: text.length, text: formatted, caret: formatted.length });
  }

  function onKeyDown(event: KeyboardEvent & { currentTarget: HTMLTextAreaElement }): void {
    const { selectionStart: start, selectionEnd: end } = event.currentTarget;
    const isCommand = event.metaKey || event.ctrlKey;
    if (isCommand && event.shiftKey && event.key.toLowerCase() === "f") {
      event.preventDefault();
      format();
    } else if (event.key === "Escape") {
      // The keyboard must not be trapped: after Esc, Tab leaves.
      setLeaving(true);
    } else if (event.key === "Tab" && !leaving) {
      event.preventDefault();
      apply(indent(text, start, end, event.shiftKey));
    } else if (event.key === "Enter" && !isCommand && !event.altKey) {
      event.preventDefault();
      apply(lineBreak(text, start, end));
    }
    if (event.key !== "Escape" && event.key !== "Tab") setLeaving(false);
  }

  const noteCaret = () => setCaret(area.current?.selectionStart ?? -1);
  return (
    <div class="json-editor">
      <div class="code">
        <div class="sheet">
          <Highlighted text={text} scan={scan} caret={caret} />
          <textarea
            {...control}
            ref={area}
            aria-label={label}
            aria-invalid={error === undefined ? (control["aria-invalid"] as "true" | undefined) : "true"}
            value={text}
            placeholder={placeholder}
            spellcheck={false}
            autocomplete="off"
            autocapitalize="off"
            wrap="off"
            onInput={(event) => {
              onText(event.currentTarget.value);
              noteCaret();
            }}
            onKeyDown={onKeyDown}
            onKeyUp={noteCaret}
            onClick={noteCaret}
            onFocus={noteCaret}
            onBlur={() => setLeaving(false)}
          />
        </div>
      </div>
      <p class="code-status">
        {error !== undefined && (
          <span class="problem">
            line {error.line}, column {error.column}: {error.message}
          </span>
        )}
        {error === undefined && caret >= 0 && <code>{visible(pointerOf(scan.path)) || "/"}</code>}
        <Button
          label="format"
          class="plain"
          disabled={isEmpty || error !== undefined}
          onClick={format}
          title="Ctrl+Shift+F"
        />
        {leaving && <span>Tab leaves the editor</span>}
      </p>
      {hints.length > 0 && (
        <p class="code-hints">
          {hints.map((hint) => (
            <Button
              label={visible(hint.label)}
              key={hint.label}
              tabIndex={-1}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => apply({ start: caret, end: caret, text: hint.text, caret: caret + hint.text.length })}
            />
          ))}
        </p>
      )}
    </div>
  );
}

/** The text in colors, and the numbers of its lines; the text area above it has the text for people and machines. */
function Highlighted(props: { readonly text: string; readonly scan: Scan; readonly caret: number }): VNode {
  const { text, scan, caret } = props;
  const marked = matchingBrackets(scan.tokens, text, caret);
  const parts: (VNode | string)[] = [];
  let at = 0;
  for (const { kind, start, end } of scan.tokens) {
    if (start > at) parts.push(text.slice(at, start));
    at = end;
    const isWrong = scan.error !== undefined && scan.error.at >= start && scan.error.at < end;
    const isMarked = marked.includes(start);
    const source = text.slice(start, end);
    if (kind === "punctuation" && !isWrong && !isMarked) parts.push(source);
    else parts.push(<i class={isWrong ? "wrong" : isMarked ? "marked" : kind}>{source}</i>);
  }
  parts.push(text.slice(at));
  const lines = text.split("\n").length;
  return (
    <>
      <pre class="lines" aria-hidden="true">
        {Array.from({ length: lines }, (_, index) => index + 1).join("\n")}
      </pre>
      <pre class="colors" aria-hidden="true">
        {parts}
        {"\n"}
      </pre>
    </>
  );
}
