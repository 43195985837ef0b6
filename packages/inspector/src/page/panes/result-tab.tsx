import type { VNode } from "preact";
import type { CallState } from "../../protocol/call.ts";
import type { JsonObject } from "../../protocol/json.ts";
import { isEqual } from "../form/read-schema.ts";
import { JsonTree } from "../result/json-tree.tsx";
import { Problems } from "../result/problems.tsx";
import { PromptResult } from "../result/prompt-result.tsx";
import { ResourceResult } from "../result/resource-result.tsx";
import { ResultDiff } from "../result/result-diff.tsx";
import { ToolResult } from "../result/tool-result.tsx";
import { useApp } from "../state/app.ts";
import { visible } from "../text/visible.ts";
import { useFetched } from "./use-fetched.ts";

interface ResultProps {
  readonly call: CallState;
  readonly previous: CallState | undefined;
}

export function ResultTab({ call, previous }: ResultProps): VNode {
  const result = useResult(call);
  if (call.error !== undefined) return <CallError call={call} />;
  if (result instanceof Error) return <p class="problem">{visible(result.message)}</p>;
  if (result === undefined) return <p class="quiet">{waiting(call)}</p>;
  const { _meta: meta } = result;
  return (
    <>
      <Kind call={call} result={result} />
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

function Kind({ call, result }: { readonly call: CallState; readonly result: JsonObject }): VNode {
  if (call.method === "resources/read") return <ResourceResult result={result} />;
  if (call.method === "prompts/get") return <PromptResult result={result} />;
  return <ToolResult result={result} problems={call.problems ?? []} />;
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
