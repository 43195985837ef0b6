import { isObject, type JsonObject } from "../../protocol/messages.ts";
import type { CallResult, ContentBlock } from "../../protocol/model.ts";
import { utf8Length } from "../../support/bytes.ts";
import {
  amountOf,
  blockBytes,
  type Count,
  fittingEnd,
  jsonBytes,
  lineEnd,
  nounFor,
  type Part,
  splitBlocks,
  splitItems,
  textOf,
  textsFit,
} from "./split.ts";

/** A result within its limit, and the parts that it lacks. */
interface Cut extends Pieces {
  /** Without the sentence about the other parts. */
  readonly result: CallResult;
  /** The structured content is larger than the limit, but complete. */
  readonly isWhole: boolean;
}

/** The bytes for the sentence and the link. */
const SENTENCE = 400;

/** Cuts a result that exceeds `max` bytes; undefined if nothing of it can be cut. */
export function cutResult(result: CallResult, max: number, audience: Audience): Cut | undefined {
  const room = max - SENTENCE;
  const { content } = result;
  const isStructured = result.structuredContent !== undefined;
  const isLarge = isStructured && jsonBytes(result.structuredContent) > max;
  const document = isLarge || !isStructured ? documentOf(result) : undefined;
  const cut = document && cutDocument(document, room, audience);
  const repeats = document?.form !== undefined;
  const shorter = isLarge ? withStructured(result, cut, repeats, audience) : result;
  const isWhole = isLarge && cut === undefined && "structuredContent" in shorter;
  if (cut?.mirror !== undefined)
    return { ...cut.pieces, result: { ...shorter, content: withMirror(content, cut.mirror) }, isWhole };
  const texts = textsFit(content, max) ? undefined : fromTexts(content, room);
  if (cut === undefined && texts === undefined) return undefined;
  return {
    result: texts === undefined ? shorter : { ...shorter, content: texts.content },
    counts: [...(texts?.counts ?? []), ...(cut?.pieces.counts ?? [])],
    isWhole,
    remainingBytes: (texts?.remainingBytes ?? 0) + (cut?.pieces.remainingBytes ?? 0),
    remaining: () => [...(texts?.remaining() ?? []), ...(cut?.pieces.remaining() ?? [])],
  };
}

/**
 * The result with the cut value. A value that cannot be cut stays whole, because the client may check it by the output schema;
 * without a schema it is left out if the text has it, too.
 */
function withStructured(
  result: CallResult,
  cut: CutDocument | undefined,
  repeats: boolean,
  { isValid, hidesText }: Audience,
): CallResult {
  const { structuredContent: _, ...rest } = result;
  if (cut === undefined) return repeats && (hidesText || isValid === undefined) ? rest : result;
  return hidesText ? rest : { ...rest, structuredContent: cut.value };
}

/** The first part of the texts and links, in their places between the blocks that are never cut. */
function fromTexts(content: readonly ContentBlock[], room: number): Pieces & { readonly content: ContentBlock[] } {
  const cuttable = content.filter((block) => blockBytes(block) !== undefined);
  const parts = splitBlocks(cuttable, room);
  const first = parts.next().value as Part;
  const pieces = first.content.values();
  const size = (blocks: readonly ContentBlock[]) => blocks.reduce((sum, block) => sum + (blockBytes(block) ?? 0), 0);
  return {
    content: content.flatMap((block) => (blockBytes(block) === undefined ? block : (pieces.next().value ?? []))),
    counts: [first.count],
    remainingBytes: size(cuttable) - size(first.content),
    remaining: () => [...parts],
  };
}

/** How a text repeats a value: as it is, if it is a text; or as JSON, indented by this number of spaces. */
type Form = "text" | 0 | 2;

/** The value of a result, and how its text repeats it. */
interface Document {
  readonly value: unknown;
  /** The member that the text repeats, because older revisions wrap values that are no objects; undefined: all of it. */
  readonly inner: string | undefined;
  /** Undefined if the text says something else. */
  readonly form: Form | undefined;
}

/** A value that was cut at an element of its array, or at a line of its text. */
interface CutDocument {
  readonly pieces: Pieces;
  readonly value: unknown;
  /** The text that repeats the value; undefined if the text says something else. */
  readonly mirror: string | undefined;
}

/** The properties of a client that decide how a result is cut. */
export interface Audience {
  /** Whether a value matches the output schema that the client knows; undefined without a schema. */
  readonly isValid: ((value: unknown) => boolean) | undefined;
  /** The client hides all other content of a result with structured content. */
  readonly hidesText: boolean;
}

/** The levels of objects around the array or text. */
const MAX_DEPTH = 4;
const FORMS: readonly Form[] = ["text", 0, 2];

/**
 * Cuts the array or text of a document to at most `room` bytes. Returns undefined if it has none at its root, or as the
 * only large member, or if the output schema refuses the shorter one. All of it is left for later if the client would hide
 * the sentence about it.
 */
function cutDocument(document: Document, room: number, audience: Audience): CutDocument | undefined {
  const { value, form, inner } = document;
  const path = pathToLeaf(value);
  if (path === undefined) return undefined;
  const write = (part: unknown) => {
    const cut = withLeaf(value, path, part);
    const repeated = inner === undefined ? cut : (cut as never)[inner];
    return { cut, mirror: form === undefined ? undefined : written(repeated, form) };
  };
  const sizeWith = (part: unknown) => {
    const { cut, mirror } = write(part);
    return Math.max(jsonBytes(cut), mirror === undefined ? 0 : utf8Length(mirror));
  };
  const leaf = path.reduce((part, key) => (part as never)[key], value) as string | readonly unknown[];
  const most = audience.hidesText && form === undefined ? 0 : room;
  const made = typeof leaf === "string" ? cutString(leaf, room, most, sizeWith) : cutArray(leaf, room, most, sizeWith);
  if (made === undefined) return undefined;
  const { cut, mirror } = write(made.shown);
  if (!audience.hidesText && audience.isValid?.(cut) === false) return undefined;
  return { value: cut, mirror, pieces: made.pieces };
}

/** The structured content, or a text that is JSON, as tools without an output schema return arrays. */
function documentOf({ content, structuredContent }: CallResult): Document | undefined {
  const [text] = content.length === 1 ? content.map(textOf) : [];
  const value: unknown = structuredContent === undefined ? parsed(text) : copied(structuredContent);
  if (value === undefined) return undefined;
  const isWrapped = isObject(value) && Object.keys(value).length === 1 && "result" in value;
  for (const inner of isWrapped ? [undefined, "result"] : [undefined]) {
    const repeated = inner === undefined ? value : (value as never)[inner];
    const form = FORMS.find((each) => written(repeated, each) === text);
    if (form !== undefined && text !== undefined) return { value, inner, form };
  }
  return structuredContent === undefined ? undefined : { value, inner: undefined, form: undefined };
}

function written(value: unknown, form: Form): string | undefined {
  if (form !== "text") return JSON.stringify(value, undefined, form);
  return typeof value === "string" ? value : undefined;
}

/** As the client will see it: dates are texts, and values that JSON does not have are gone. */
function copied(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value) ?? "null");
}

function parsed(text: string | undefined): unknown {
  if (text === undefined || !/^[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The way to the array or text that is the largest part, through objects of which it is the largest member. */
function pathToLeaf(value: unknown): string[] | undefined {
  const path: string[] = [];
  for (let part = value; path.length <= MAX_DEPTH; ) {
    if (Array.isArray(part) || typeof part === "string") return path;
    if (!isObject(part)) return undefined;
    const key = largestMember(part);
    if (key === undefined) return undefined;
    path.push(key);
    part = part[key];
  }
  return undefined;
}

/** The name of the largest member in JSON, other than numbers and the like. */
function largestMember(value: JsonObject): string | undefined {
  let largest: string | undefined;
  let most = 0;
  for (const key of Object.keys(value)) {
    const member = value[key];
    // An object may have a hundred thousand numbers, which could not be cut.
    const size = typeof member === "string" || typeof member === "object" ? JSON.stringify(member).length : 0;
    if (size <= most) continue;
    largest = key;
    most = size;
  }
  return largest;
}

function withLeaf(value: unknown, [key, ...path]: readonly string[], leaf: unknown): unknown {
  if (key === undefined) return leaf;
  // `__proto__` is an ordinary name in JSON.
  const entries = Object.entries(value as object);
  return Object.fromEntries(entries.map(([name, part]) => [name, name === key ? withLeaf(part, path, leaf) : part]));
}

/** Replaces the only block by the text that repeats a cut value. */
function withMirror([block]: readonly ContentBlock[], text: string): ContentBlock[] {
  if (block?.type === "resource") return [{ ...block, resource: { ...block.resource, text } }];
  return [{ ...block, type: "text", text } as ContentBlock];
}

/** How much a part of a result shows, and the parts after it. */
interface Pieces {
  readonly counts: readonly Count[];
  /** The bytes of the parts after it, about. */
  readonly remainingBytes: number;
  /** Splits the content after it; call it once. */
  readonly remaining: () => Part[];
}

/** An array or a text that was cut. */
interface CutLeaf {
  readonly shown: unknown;
  readonly pieces: Pieces;
}

/** The size of the whole result with a shorter array or text. */
type SizeWith = (shown: unknown) => number;

/**
 * Cuts an array so that the result has at most `most` bytes; undefined if the parts around the array are too large. An
 * element without room in a part makes the other elements a text.
 */
function cutArray(items: readonly unknown[], room: number, most: number, sizeWith: SizeWith): CutLeaf | undefined {
  const around = sizeWith([]);
  if (around > room) return undefined;
  const texts = items.map((item) => JSON.stringify(item));
  const fits = (count: number) => count === 0 || sizeWith(items.slice(0, count)) <= most;
  const count = lastTrue(countFitting(texts, most - around), fits);
  const rest = texts.slice(count);
  const sizes = rest.map(utf8Length);
  const isSplit = sizes.every((size) => size + 2 <= room);
  return {
    shown: items.slice(0, count),
    pieces: {
      counts: [{ noun: "items", from: 1, to: count, total: items.length }],
      remainingBytes: sizes.reduce((sum, size) => sum + size + 1, 2),
      remaining: () =>
        isSplit
          ? [...splitItems(rest, room, count, items.length)]
          : [...splitBlocks([{ type: "text", text: `[${rest.join(",")}]` }], room)],
    },
  };
}

/** Cuts a text so that the result, in which it may be escaped, has at most `most` bytes; as for arrays. */
function cutString(text: string, room: number, most: number, sizeWith: SizeWith): CutLeaf | undefined {
  const around = sizeWith("");
  if (around > room) return undefined;
  let end = 0;
  for (let budget = most - around; budget > 0; ) {
    end = lineEnd(text, 0, budget) || fittingEnd(text, 0, budget);
    const size = sizeWith(text.slice(0, end));
    if (size <= most) break;
    end = 0;
    budget = Math.min(budget - 1, Math.floor((budget * most) / size));
  }
  const block = { type: "text", text } as const;
  const noun = nounFor([block], room);
  const to = amountOf(noun, text.slice(0, end), false);
  return {
    shown: text.slice(0, end),
    pieces: {
      counts: [{ noun, from: 1, to, total: amountOf(noun, text, true) }],
      remainingBytes: utf8Length(text) - utf8Length(text.slice(0, end)),
      remaining: () => [...splitBlocks([block], room, end)],
    },
  };
}

/** How many of the elements fit, with the commas between them, at most. */
function countFitting(items: readonly string[], room: number): number {
  let used = -1;
  let count = 0;
  for (const item of items) {
    used += utf8Length(item) + 1;
    if (used > room) break;
    count++;
  }
  return count;
}

/** The largest number up to `most` for which it holds; it holds for 0. */
function lastTrue(most: number, holds: (count: number) => boolean): number {
  if (holds(most)) return most;
  let [low, high] = [0, most - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
