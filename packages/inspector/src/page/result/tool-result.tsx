import type { VNode } from "preact";
import type { Problem } from "../../protocol/call.ts";
import type { Json, JsonObject } from "../../protocol/json.ts";
import { parse } from "../form/form-draft.ts";
import { isObject } from "../form/path.ts";
import { isEqual, listOf } from "../form/read-schema.ts";
import { ContentBlock } from "./content-block.tsx";
import { JsonTree } from "./json-tree.tsx";
import { Problems } from "./problems.tsx";

/** What a tool returned: its structured content, its content blocks, and where it breaks its own schema. */
export function ToolResult({
  result,
  problems,
}: {
  readonly result: JsonObject;
  readonly problems: readonly Problem[];
}): VNode {
  const blocks = listOf(result.content) as readonly Json[];
  const { structuredContent } = result;
  return (
    <>
      {result.isError === true && (
        <p class="bad" role="status">
          The tool reports an error.
        </p>
      )}
      <Problems title="The result breaks its output schema" problems={problems} />
      {structuredContent !== undefined && (
        <section aria-label="Structured content">
          <h3>Structured content</h3>
          <JsonTree value={structuredContent} label="Structured content" />
        </section>
      )}
      {blocks.map((block, index) => {
        const label = blocks.length === 1 ? "Content" : `Content ${index + 1}`;
        const content = <ContentBlock block={block} label={label} />;
        if (structuredContent === undefined || !repeats(block, structuredContent))
          return <div key={index}>{content}</div>;
        return (
          <details key={index}>
            <summary>{label}: the same as text, for clients without structured content</summary>
            {content}
          </details>
        );
      })}
      {blocks.length === 0 && structuredContent === undefined && <p>The result is empty.</p>}
    </>
  );
}

function repeats(block: Json, structured: Json): boolean {
  if (!isObject(block) || block.type !== "text" || typeof block.text !== "string") return false;
  const value = parse(block.text);
  const whole = value === undefined ? block.text : value;
  return isEqual(whole, structured) || (isObject(structured) && isEqual({ result: whole }, structured));
}
