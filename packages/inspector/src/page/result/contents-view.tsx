import type { VNode } from "preact";
import type { JsonObject } from "../../protocol/json.ts";
import { stringOf } from "../form/read-schema.ts";
import { visible } from "../text/visible.ts";
import { JsonTree } from "./json-tree.tsx";
import { Media } from "./media.tsx";
import { TextContent } from "./text-content.tsx";

/** The contents of one resource: text, or data by its type. */
export function ContentsView({ contents, label }: { readonly contents: JsonObject; readonly label: string }): VNode {
  const { uri, mimeType, text, blob } = contents;
  const type = stringOf(mimeType);
  return (
    <div class="contents">
      <p class="quiet">
        <code>{visible(stringOf(uri) ?? "")}</code> {visible(type ?? "without a type")}
      </p>
      {typeof text === "string" ? (
        <TextContent text={text} label={label} />
      ) : typeof blob === "string" ? (
        <Media data={blob} mimeType={type ?? ""} />
      ) : (
        <JsonTree value={contents} label={label} />
      )}
    </div>
  );
}
