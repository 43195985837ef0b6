import type { Members } from "../../terminal/json.ts";
import { type Dialect, type Entry, objectsOf, partsOf, type ShownTool, type Turn, toShownTool } from "./dialect.ts";

const USAGE = {
  input_tokens: 1,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 1,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 2,
};

/** OpenAI Responses. */
export const responses: Dialect = {
  path: /\/responses$/,
  isStream: ({ stream }) => stream === true,
  read: ({ tools, input }) => ({
    tools: [...objectsOf(tools), ...objectsOf(input).flatMap(({ tools }) => objectsOf(tools))].flatMap((tool) =>
      toTools(tool),
    ),
    entries: partsOf(input).map((item): Entry => {
      const { type, role, call_id: id } = objectsOf([item])[0] ?? {};
      const isResult = typeof type === "string" && type.endsWith("_output");
      const isModel = !isResult && (role === "assistant" || /_call$|^reasoning$/.test(String(type)));
      return {
        from: isModel ? "model" : "client",
        ...(isResult && typeof id === "string" && { callId: id }),
        content: item,
      };
    }),
  }),
  whole: (turn, model) => ({ ...response(turn, model), status: "completed", output: [item(turn)] }),
  events(turn, model) {
    const data = [
      { type: "response.created", response: { ...response(turn, model), status: "in_progress", output: [] } },
      { type: "response.output_item.added", output_index: 0, item: item(turn) },
      { type: "response.output_item.done", output_index: 0, item: item(turn) },
      { type: "response.completed", response: this.whole(turn, model) },
    ];
    return data.map((each) => [each.type, each]);
  },
};

/** A namespace has the tools of a server. */
function toTools(tool: Members, namespace?: unknown): ShownTool[] {
  if (tool.type === "namespace") return objectsOf(tool.tools).flatMap((each) => toTools(each, tool.name));
  return [toShownTool({ ...tool, name: tool.name ?? tool.type }, tool.parameters, namespace)];
}

function response({ id }: Turn, model: unknown): object {
  return { id: `resp_${id}`, object: "response", created_at: 0, model, usage: USAGE };
}

function item(turn: Turn): object {
  if (!("call" in turn)) {
    const content = [{ type: "output_text", text: turn.text, annotations: [] }];
    return { type: "message", id: `item_${turn.id}`, role: "assistant", status: "completed", content };
  }
  const { id, arguments: input, ...names } = turn.call;
  const isSearch = names.name === "tool_search";
  const given = isSearch ? { type: "tool_search_call", execution: "client", arguments: input } : undefined;
  return {
    ...(given ?? { type: "function_call", ...names, arguments: JSON.stringify(input) }),
    id: `item_${turn.id}`,
    call_id: id,
    status: "completed",
  };
}
