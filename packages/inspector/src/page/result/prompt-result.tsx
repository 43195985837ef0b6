import type { VNode } from "preact";
import type { Json, JsonObject } from "../../protocol/json.ts";
import { isObject } from "../form/path.ts";
import { listOf, stringOf } from "../form/read-schema.ts";
import { visible } from "../text/visible.ts";
import { ContentBlock } from "./content-block.tsx";
import { CopyButton } from "./copy-button.tsx";

/** The messages of a prompt. */
export function PromptResult({ result }: { readonly result: JsonObject }): VNode {
  const messages = listOf(result.messages).filter(isObject);
  const description = stringOf(result.description);
  return (
    <>
      {description !== undefined && <p>{visible(description)}</p>}
      <ol class="messages">
        {messages.map((message, index) => {
          const role = stringOf(message.role) ?? "?";
          return (
            <li key={index} class={role === "assistant" ? "said assistant" : "said"}>
              <h3>{visible(role)}</h3>
              <ContentBlock block={message.content ?? null} label={`Message ${index + 1}`} />
            </li>
          );
        })}
      </ol>
      {messages.length === 0 ? (
        <p>The prompt has no messages.</p>
      ) : (
        <CopyButton text={asText(messages)} label="Copy as text" />
      )}
    </>
  );
}

function asText(messages: readonly JsonObject[]): string {
  return messages.map(({ role, content }) => `${stringOf(role) ?? "?"}: ${contentText(content ?? null)}`).join("\n\n");
}

function contentText(content: Json): string {
  if (!isObject(content)) return JSON.stringify(content);
  if (typeof content.text === "string") return content.text;
  if (isObject(content.resource) && typeof content.resource.text === "string") return content.resource.text;
  return `[${stringOf(content.type) ?? "content"}]`;
}
