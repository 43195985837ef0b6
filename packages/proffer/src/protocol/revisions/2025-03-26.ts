import type { Annotations, ContentBlock, ResourceContents } from "../model.ts";
import { REV_2025_06_18 } from "./2025-06-18.ts";
import { chain, type Revision, without } from "./revision.ts";

/** Has batches; has no titles, structured results or resource links, and no `_meta` on tools, prompts and resources. */
export const REV_2025_03_26: Revision = {
  ...REV_2025_06_18,
  version: "2025-03-26",
  batches: true,
  inputs: new Set(["sampling/createMessage", "roots/list"]),
  convert: chain(REV_2025_06_18.convert, {
    implementation: (value) => without(value, "title"),
    tool: (value) => without(value, "title", "_meta", "outputSchema"),
    prompt: (value) => {
      const plain = without(value, "title", "_meta");
      return plain.arguments?.some((argument) => "title" in argument)
        ? { ...plain, arguments: plain.arguments.map((argument) => without(argument, "title")) }
        : plain;
    },
    resource: (value) => dropLastModified(without(value, "title", "_meta")),
    template: (value) => dropLastModified(without(value, "title", "_meta")),
    call: (value) => without(value, "structuredContent"),
    read: (value) => ({ ...value, contents: value.contents.map(dropMeta) }),
    block: plainBlock,
  }),
};

function plainBlock(block: ContentBlock): ContentBlock {
  if (block.type === "resource_link") {
    const label = block.description === undefined ? block.name : `${block.name}: ${block.description}`;
    return { type: "text", text: `${label} (${block.uri})` };
  }
  const plain = dropLastModified(without(block, "_meta"));
  return plain.type === "resource" ? { ...plain, resource: dropMeta(plain.resource) } : plain;
}

const dropMeta = (contents: ResourceContents): ResourceContents => without(contents, "_meta");

function dropLastModified<Value extends { readonly annotations?: Annotations }>(value: Value): Value {
  if (value.annotations?.lastModified === undefined) return value;
  return { ...value, annotations: without(value.annotations, "lastModified") };
}
