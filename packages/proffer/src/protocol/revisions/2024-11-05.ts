import type { ContentBlock } from "../model.ts";
import { REV_2025_03_26 } from "./2025-03-26.ts";
import { chain, type Revision, without } from "./revision.ts";

/** The first revision: no hints on tools, no audio, no text beside progress, completion without a capability. */
export const REV_2024_11_05: Revision = {
  ...REV_2025_03_26,
  version: "2024-11-05",
  batches: false,
  convert: chain(REV_2025_03_26.convert, {
    capabilities: (value) => without(value, "completions"),
    tool: (value) => without(value, "annotations"),
    progress: (value) => without(value, "message"),
    block: embedAudio,
  }),
};

function embedAudio(block: ContentBlock): ContentBlock {
  if (block.type !== "audio") return block;
  const { type: _, data, mimeType, ...rest } = block;
  return { type: "resource", resource: { uri: "audio:embedded", mimeType, blob: data }, ...rest };
}
