import type { JsonObject } from "../../protocol/data.ts";
import { isObject, parse } from "../text/json.ts";

/** The arguments that were typed for one item. They outlast edits of the server, other offers, revisions, tabs and reloads. */
export interface ItemDraft {
  /** The arguments of a tool or prompt, or the variables of a template. Those that are left out are absent. */
  readonly value: JsonObject;
  /** The text of the JSON editor as it was typed, if it is not the text of `value`: malformed, or with its own layout. */
  readonly text?: string;
}

export type Drafts = { readonly [id: string]: ItemDraft };

export const EMPTY_DRAFT: ItemDraft = { value: {} };

/** More than this is not kept across a reload. */
const MAX_KEPT = 1_000_000;

export function draftOf(drafts: Drafts, id: string): ItemDraft {
  return Object.hasOwn(drafts, id) ? (drafts[id] as ItemDraft) : EMPTY_DRAFT;
}

export function withDraft(drafts: Drafts, id: string, draft: ItemDraft): Drafts {
  return { ...drafts, [id]: draft };
}

export function draftsToText(drafts: Drafts): string {
  const text = JSON.stringify(drafts);
  return text.length > MAX_KEPT ? "{}" : text;
}

/** Reads kept drafts, perhaps of an earlier version of the page: anything that is not a draft is left out. */
export function draftsFromText(text: string | null): Drafts {
  const kept: unknown = parse(text ?? "");
  if (!isObject(kept)) return {};
  return Object.fromEntries(Object.entries<unknown>(kept).filter(([, draft]) => isDraft(draft))) as Drafts;
}

function isDraft(value: unknown): value is ItemDraft {
  return isObject(value) && isObject(value.value) && (value.text === undefined || typeof value.text === "string");
}
