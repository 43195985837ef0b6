import { type Dialect, type Entry, objectsOf, partsOf, type Turn, toShownTool } from "./dialect.ts";

const USAGE = { input_tokens: 1, output_tokens: 1 };

/** Anthropic Messages. */
export const anthropic: Dialect = {
  path: /\/messages$/,
  isStream: ({ stream }) => stream === true,
  read: ({ tools, messages }) => ({
    tools: objectsOf(tools).map((tool) => toShownTool(tool, tool.input_schema)),
    entries: objectsOf(messages).flatMap(({ role, content }) =>
      partsOf(content).map((part): Entry => {
        const { tool_use_id: id } = objectsOf([part])[0] ?? {};
        return {
          from: role === "assistant" ? "model" : "client",
          ...(typeof id === "string" && { callId: id }),
          content: part,
        };
      }),
    ),
  }),
  whole: (turn, model) => ({ ...message(turn, model), content: [block(turn)], stop_reason: reason(turn) }),
  events(turn, model) {
    const [start, delta] =
      "call" in turn
        ? [
            { ...block(turn), input: {} },
            { type: "input_json_delta", partial_json: JSON.stringify(turn.call.arguments) },
          ]
        : [
            { type: "text", text: "" },
            { type: "text_delta", text: turn.text },
          ];
    const data = [
      { type: "message_start", message: { ...message(turn, model), content: [], stop_reason: null } },
      { type: "content_block_start", index: 0, content_block: start },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: reason(turn), stop_sequence: null }, usage: USAGE },
      { type: "message_stop" },
    ];
    return data.map((each) => [each.type, each]);
  },
};

function message({ id }: Turn, model: unknown): object {
  return { id: `msg_${id}`, type: "message", role: "assistant", model, stop_sequence: null, usage: USAGE };
}

function block(turn: Turn): object {
  if (!("call" in turn)) return { type: "text", text: turn.text };
  const { id, name, arguments: input } = turn.call;
  return { type: "tool_use", id, name, input };
}

function reason(turn: Turn): string {
  return "call" in turn ? "tool_use" : "end_turn";
}
