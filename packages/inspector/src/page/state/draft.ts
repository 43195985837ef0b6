import type { JsonObject } from "../../protocol/json.ts";
import type { ItemKind } from "../../protocol/offer.ts";

/** What a person has typed for one item. It stays across edits of the server, other offers, revisions, tabs and reloads. */
export interface ItemDraft {
  /** The arguments of a tool or prompt, or the variables of a template. What is left out is absent. */
  readonly value: JsonObject;
  /** The text of the JSON editor as it was typed, if it is not the text of `value`: malformed, or with its own layout. */
  readonly text?: string;
}

export type Drafts = { readonly [id: string]: ItemDraft };

export const EMPTY_DRAFT: ItemDraft = { value: {} };

/** More than this is not kept across a reload. */
const MAX_KEPT = 1_000_000;

/** Identifies an item within the page, also after it has left the offer. */
export function itemId(item: { readonly kind: ItemKind; readonly key: string }): string {
  return `${item.kind} ${item.key}`;
}

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

/** Reads what an earlier version of the page may have kept: anything that is not a draft is left out. */
export function draftsFromText(text: string | null): Drafts {
  try {
    const kept: unknown = JSON.parse(text ?? "{}");
    if (!isObject(kept)) return {};
    return Object.fromEntries(Object.entries(kept).filter(([, draft]) => isDraft(draft))) as Drafts;
  } catch {
    return {};
  }
}

function isDraft(value: unknown): value is ItemDraft {
  return isObject(value) && isObject(value.value) && (value.text === undefined || typeof value.text === "string");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
