import { accessOf } from "../../calls/access.ts";
import type { Call } from "../../calls/call.ts";
import type { ContentBlock } from "../../protocol/model.ts";
import { convert } from "../../protocol/revisions/revision.ts";
import type { Resource } from "../../resources/define.ts";
import type { Tool } from "../../tools/define.ts";
import type { Ways } from "./sentence.ts";

/** The URI of all that a result lacks. */
export const REST_URI = "proffer-result://";
/** The length of the id of a rest, with which its cursors begin. */
export const ID_LENGTH = 16;

/** What a server with `maxResult` adds to its lists. */
export interface Added {
  readonly more: Tool;
  readonly rest: Resource;
}

/** The ways to the rest that the caller has, and the blocks that show them. */
export interface Offer {
  readonly ways: Ways;
  readonly blocks: readonly ContentBlock[];
}

/** Offers the rest to the caller: by the tool and by a link, as far as they exist for it and its client shows links. */
export function offerRest(call: Call, cursor: string | undefined, { more, rest }: Added): Offer {
  if (cursor === undefined) return { ways: {}, blocks: [] };
  const access = accessOf(call.server);
  const { profile } = call.client;
  const isShown = profile?.showsResources !== false && profile?.readsResources !== false;
  const uri = isShown && access?.sees(call, rest) !== false ? REST_URI + cursor.slice(0, ID_LENGTH) : undefined;
  const ways = { cursor: access?.sees(call, more) === false ? undefined : cursor, uri };
  if (uri === undefined) return { ways, blocks: [] };
  const link = convert(call.revision, "block", {
    type: "resource_link",
    uri,
    name: "The rest",
    mimeType: "text/plain",
  } as ContentBlock);
  // On revisions without links it would be a text that repeats the sentence.
  return { ways, blocks: link.type === "resource_link" ? [link] : [] };
}
