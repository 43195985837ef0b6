import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { CallState, Json, JsonObject, Problem } from "../../protocol/data.ts";
import { CopyButton, Problems } from "../parts/elements.tsx";
import { TabPanel, Tabs } from "../parts/tabs.tsx";
import { useApp, useFetched } from "../state/app.ts";
import { visible } from "../text/format.ts";
import { isEqual, isObject, listOf, parse, stringOf } from "../text/json.ts";
import { ContentBlock, ContentsView } from "./content.tsx";
import { ResultDiff } from "./difference-view.tsx";
import { JsonTree } from "./json-tree.tsx";

export function ResultTab(props: { readonly call: CallState; readonly previous: CallState | undefined }): VNode {
  const { call, previous } = props;
  const result = useResult(call);
  if (call.error !== undefined) return <CallError call={call} />;
  if (result instanceof Error) return <p class="problem">{visible(result.message)}</p>;
  if (result === undefined) return <p class="quiet">{waiting(call)}</p>;
  const { _meta: meta } = result;
  return (
    <>
      {call.method === "resources/read" ? (
        <ResourceResult result={result} />
      ) : call.method === "prompts/get" ? (
        <PromptResult result={result} />
      ) : (
        <ToolResult result={result} problems={call.problems ?? []} />
      )}
      {meta !== undefined && (
        <details>
          <summary>_meta</summary>
          <JsonTree value={meta} label="_meta" />
        </details>
      )}
      {previous?.result !== undefined && previous.method === call.method && (
        <details open={isEqual(previous.params, call.params)}>
          <summary>Compared with the result before</summary>
          <ResultDiff before={previous.result} after={result} />
        </details>
      )}
    </>
  );
}

function CallError({ call }: { readonly call: CallState }): VNode | null {
  const { error, refused = [] } = call;
  if (error === undefined) return null;
  return (
    <>
      <p class="bad" role="status">
        Error {error.code}: {visible(error.message)}
      </p>
      <Problems title="The server refuses the arguments" problems={refused} />
      {error.data !== undefined && <JsonTree value={error.data} label="Data of the error" />}
    </>
  );
}

function waiting(call: CallState): string {
  if (call.status === "canceled") return "The call was canceled.";
  return call.status === "asks" ? "The server waits for an answer: see Rounds." : "The server works …";
}

/** The result; a large one is fetched when it is shown. */
function useResult(call: CallState): JsonObject | Error | undefined {
  const { api } = useApp();
  const isLarge = call.result === undefined && call.status === "done" && call.error === undefined;
  const fetched = useFetched(
    async () => (isLarge ? { id: call.id, ...(await api.post("result", { id: call.id })) } : undefined),
    [api, call.id, isLarge],
  );
  if (call.result !== undefined || fetched instanceof Error) return call.result ?? fetched;
  return fetched?.id === call.id ? fetched.result : undefined;
}

/** The result of a tool: its structured content, its content blocks, and where it breaks its output schema. */
function ToolResult(props: { readonly result: JsonObject; readonly problems: readonly Problem[] }): VNode {
  const { result, problems } = props;
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
            <summary>{label}: the same as text</summary>
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

/** The messages of a prompt. */
function PromptResult({ result }: { readonly result: JsonObject }): VNode {
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

/** The contents that reading a resource returned; several as tabs. */
export function ResourceResult({ result }: { readonly result: JsonObject }): VNode {
  const contents = listOf(result.contents).filter(isObject);
  const [chosen, setChosen] = useState("0");
  const [only] = contents;
  if (only === undefined) return <p>The server returned no contents.</p>;
  if (contents.length === 1) return <ContentsView contents={only} label="Contents" />;
  const tabs = contents.map(({ uri }, index) => ({
    id: String(index),
    label: visible(stringOf(uri) ?? `${index + 1}`),
  }));
  const shown = contents[Number(chosen)] ?? only;
  return (
    <>
      <Tabs name="contents" label="Contents" tabs={tabs} chosen={chosen} onChoose={setChosen} />
      <TabPanel name="contents" chosen={chosen}>
        <ContentsView key={chosen} contents={shown} label="Contents" />
      </TabPanel>
    </>
  );
}
