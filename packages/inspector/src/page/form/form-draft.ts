import type { Json } from "../../protocol/data.ts";
import { isObject, moveItem, movePointers, type Path, parse, pointerOf, setAt, valueAt } from "../text/json.ts";

/** The state of a form. Its texts stay as a person typed them: they are never rewritten from a parsed value. */
export interface FormDraft {
  /** The value to send; members that are left out are absent. */
  readonly value: Json;
  /** The JSON of the whole value as typed, if it is malformed or has its own layout. */
  readonly text?: string;
  /** The texts of the values that are edited as JSON, by pointer. */
  readonly texts?: { readonly [pointer: string]: string };
  /** The alternatives that were chosen, by pointer. */
  readonly branches?: { readonly [pointer: string]: number };
}

/** Sets a value by its control; undefined leaves it out. */
export function withValue(draft: FormDraft, path: Path, value: Json | undefined): FormDraft {
  const pointer = pointerOf(path);
  const { text: _, ...rest } = draft;
  return {
    ...rest,
    value: setAt(draft.value, path, value) ?? {},
    texts: without(draft.texts, pointer, true),
    branches: without(draft.branches, pointer, false),
  };
}

/** Sets the text in the JSON box of a value. An empty box leaves the value out. */
export function withBox(draft: FormDraft, path: Path, text: string): FormDraft {
  const parsed = text.trim() === "" ? undefined : parse(text);
  const isBroken = text.trim() !== "" && parsed === undefined;
  const next = withValue(draft, path, isBroken ? valueAt(draft.value, path) : parsed);
  return { ...next, texts: { ...next.texts, [pointerOf(path)]: text } };
}

/** Shows a value as JSON, or by its control again. */
export function toggleBox(draft: FormDraft, path: Path, isBox: boolean): FormDraft {
  const value = valueAt(draft.value, path);
  if (!isBox) return withValue(draft, path, value);
  return withBox(draft, path, value === undefined ? "" : JSON.stringify(value, null, 2));
}

export function withBranch(draft: FormDraft, path: Path, branch: number, value: Json | undefined): FormDraft {
  const next = withValue(draft, path, value);
  return { ...next, branches: { ...next.branches, [pointerOf(path)]: branch } };
}

export function withMovedItem(draft: FormDraft, path: Path, from: number, to: number | undefined): FormDraft {
  const items = valueAt(draft.value, path);
  if (!Array.isArray(items)) return draft;
  const pointer = pointerOf(path);
  return {
    ...withValue(draft, path, moveItem(items, from, to)),
    texts: movePointers(draft.texts ?? {}, pointer, from, to),
    branches: movePointers(draft.branches ?? {}, pointer, from, to),
  };
}

/** Sets the JSON of the whole value. Malformed text leaves the value as it was. */
export function withText(draft: FormDraft, text: string): FormDraft {
  const parsed = text.trim() === "" ? {} : parse(text);
  return isObject(parsed) ? { value: parsed, text } : { ...draft, text };
}

export function jsonText(draft: FormDraft): string {
  return draft.text ?? JSON.stringify(draft.value, null, 2);
}

/** The pointers of values that cannot be sent because their texts are not JSON; "" is the whole value. */
export function brokenParts(draft: FormDraft): string[] {
  const { text, texts = {} } = draft;
  if (text !== undefined && text.trim() !== "" && !isObject(parse(text))) return [""];
  return Object.entries(texts).flatMap(([pointer, box]) =>
    box.trim() === "" || parse(box) !== undefined ? [] : [pointer],
  );
}

function without<Value>(
  map: { readonly [pointer: string]: Value } = {},
  pointer: string,
  itself: boolean,
): { readonly [pointer: string]: Value } {
  return Object.fromEntries(
    Object.entries(map).filter(([key]) => !(key.startsWith(`${pointer}/`) || (itself && key === pointer))),
  );
}
