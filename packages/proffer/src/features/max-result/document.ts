import { isObject } from "../../protocol/messages.ts";
import type { CallResult, ContentBlock } from "../../protocol/model.ts";
import { utf8Length } from "../../support/bytes.ts";
import { cutArray, cutString, type Pieces } from "./leaf.ts";
import { jsonBytes, textOf } from "./size.ts";

/** How a text repeats a value: as it is, if it is a text; or as JSON, with so many spaces. */
type Form = "text" | 0 | 2;

/** The value of a result, and how its text repeats it. */
export interface Document {
  readonly value: unknown;
  /** The member that the text repeats, because older revisions wrap values that are no objects; undefined: all of it. */
  readonly inner: string | undefined;
  /** Undefined if the text says something else. */
  readonly form: Form | undefined;
}

/** A value that was cut at an element of its array, or at a line of its text. */
export interface CutDocument {
  readonly pieces: Pieces;
  readonly value: unknown;
  /** The text that repeats the value; undefined if the text says something else. */
  readonly mirror: string | undefined;
}

/** What is known about the client of a result. */
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
export function cutDocument(document: Document, room: number, audience: Audience): CutDocument | undefined {
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
export function documentOf({ content, structuredContent }: CallResult): Document | undefined {
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

/** As the client will see it: dates are texts, and what JSON does not have is gone. */
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
    const sizes = Object.entries(part).map(([key, member]) => ({ key, size: JSON.stringify(member).length }));
    const [first, ...others] = sizes;
    if (first === undefined) return undefined;
    const { key } = others.reduce((most, each) => (each.size > most.size ? each : most), first);
    path.push(key);
    part = part[key];
  }
  return undefined;
}

function withLeaf(value: unknown, [key, ...path]: readonly string[], leaf: unknown): unknown {
  if (key === undefined) return leaf;
  // `__proto__` is an ordinary name in JSON.
  const entries = Object.entries(value as object);
  return Object.fromEntries(entries.map(([name, part]) => [name, name === key ? withLeaf(part, path, leaf) : part]));
}

/** Replaces the only block by the text that repeats a cut value. */
export function withMirror([block]: readonly ContentBlock[], text: string): ContentBlock[] {
  if (block?.type === "resource") return [{ ...block, resource: { ...block.resource, text } }];
  return [{ ...block, type: "text", text } as ContentBlock];
}
