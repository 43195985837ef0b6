import type { CallResult, ContentBlock } from "../../protocol/model.ts";
import { type Audience, type CutDocument, cutDocument, documentOf, withMirror } from "./document.ts";
import type { Pieces } from "./leaf.ts";
import { blockBytes, jsonBytes, textsFit } from "./size.ts";
import { type Part, splitBlocks } from "./split.ts";

/** A result within its limit, and what it lacks. */
export interface Cut extends Pieces {
  /** Without the sentence about the rest. */
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
    restBytes: (texts?.restBytes ?? 0) + (cut?.pieces.restBytes ?? 0),
    rest: () => [...(texts?.rest() ?? []), ...(cut?.pieces.rest() ?? [])],
  };
}

/**
 * The result with the cut value. What cannot be cut stays whole, because the client may check it by the output schema;
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
  const pieces = [...first.content];
  const size = (blocks: readonly ContentBlock[]) => blocks.reduce((sum, block) => sum + (blockBytes(block) ?? 0), 0);
  return {
    content: content.flatMap((block) => (blockBytes(block) === undefined ? block : pieces.splice(0, 1))),
    counts: [first.count],
    restBytes: size(cuttable) - size(first.content),
    rest: () => [...parts],
  };
}
