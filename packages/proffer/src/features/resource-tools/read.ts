import type { Call } from "../../calls/call.ts";
import { usesOf } from "../../calls/uses.ts";
import { NotFound } from "../../protocol/errors.ts";
import type { ReadResult, ResourceContents } from "../../protocol/model.ts";
import type { Resource } from "../../resources/define.ts";
import { readResource } from "../../resources/methods.ts";
import { audio, type Content, embed, image, link, text } from "../../results/content.ts";
import { quote } from "../../uri/parse.ts";
import { InnerCall } from "./inner-call.ts";
import { runInner } from "./run-inner.ts";

/** Reads a resource on behalf of a tool. The URI must be one of that resource, and not of a more specific one. */
export async function readByTool(call: Call, resource: Resource, uri: string): Promise<readonly Content[]> {
  const result = await runInner(new InnerCall(call, "resources/read", { uri }), (inner) => {
    const found = usesOf(inner)[0]?.item;
    // A cache in front of the call has only checked the scopes of this resource.
    if (found !== undefined && found !== resource) throw new NotFound(`Resource not found: ${quote(uri)}.`);
    return readResource(inner);
  });
  const shows = call.client.profile?.showsResources ?? true;
  const blocks = ((result as Partial<ReadResult>).contents ?? []).map((contents) => toBlock(contents, shows));
  return shows ? [...blocks, linkTo(resource, uri)] : blocks;
}

function toBlock(contents: ResourceContents, shows: boolean): Content {
  const { uri, mimeType = "application/octet-stream", blob } = contents;
  if (blob === undefined) return text(contents.text ?? "");
  if (mimeType.startsWith("image/")) return image(blob, mimeType);
  if (mimeType.startsWith("audio/")) return audio(blob, mimeType);
  return shows ? embed({ uri, mimeType, blob }) : text(`${uri} is not text, but ${mimeType}.`);
}

function linkTo({ name, mimeType, description: { title } }: Resource, uri: string): Content {
  return link({ uri, name, ...(title !== undefined && { title }), ...(mimeType !== undefined && { mimeType }) });
}
