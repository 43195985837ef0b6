import type { VNode } from "preact";
import type { Json, JsonObject } from "../../protocol/json.ts";
import { isObject } from "../form/path.ts";
import { stringOf } from "../form/read-schema.ts";
import { Link } from "../shell/link.tsx";
import { visible } from "../text/visible.ts";
import { ContentsView } from "./contents-view.tsx";
import { JsonTree } from "./json-tree.tsx";
import { Media } from "./media.tsx";
import { TextContent } from "./text-content.tsx";

/** A content block of a result or message. */
export function ContentBlock({ block, label }: { readonly block: Json; readonly label: string }): VNode {
  if (!isObject(block)) return <JsonTree value={block} label={label} />;
  return (
    <div class="block">
      <Kind block={block} label={label} />
      <Annotations block={block} />
    </div>
  );
}

function Kind({ block, label }: { readonly block: JsonObject; readonly label: string }): VNode {
  const { type, text, data, resource } = block;
  if (type === "text" && typeof text === "string") return <TextContent text={text} label={label} />;
  if ((type === "image" || type === "audio") && typeof data === "string") {
    return <Media data={data} mimeType={stringOf(block.mimeType) ?? ""} />;
  }
  if (type === "resource_link" && typeof block.uri === "string") return <ResourceLink link={block} uri={block.uri} />;
  if (type === "resource" && isObject(resource)) return <ContentsView contents={resource} label={label} />;
  return (
    <>
      <p class="problem">This kind of content is unknown.</p>
      <JsonTree value={block} label={label} />
    </>
  );
}

function ResourceLink({ link, uri }: { readonly link: JsonObject; readonly uri: string }): VNode {
  const { title, name, description, mimeType } = link;
  return (
    <p>
      <Link to={{ pane: "item", kind: "resource", key: uri }}>{visible(stringOf(title) ?? stringOf(name) ?? uri)}</Link>{" "}
      <code>{visible(uri)}</code>{" "}
      <span class="quiet">
        {visible([mimeType, description].filter((part) => typeof part === "string").join(" · "))}
      </span>
    </p>
  );
}

/** For whom the server means the content, and its other annotations. */
function Annotations({ block }: { readonly block: JsonObject }): VNode | null {
  const { annotations } = block;
  if (!isObject(annotations)) return null;
  const parts = Object.entries(annotations).map(
    ([name, value]) => `${name}: ${Array.isArray(value) ? value.join(", ") : JSON.stringify(value)}`,
  );
  return <p class="quiet">{visible(parts.join(" · "))}</p>;
}
