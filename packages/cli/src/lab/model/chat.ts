import { type Dialect, type Entry, objectsOf, type Turn, toShownTool } from "./dialect.ts";

const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

/** OpenAI Chat Completions. */
export const chat: Dialect = {
  path: /\/chat\/completions$/,
  isStream: ({ stream }) => stream === true,
  read: ({ tools, messages }) => ({
    tools: objectsOf(tools).map((tool) => {
      const [described = {}] = objectsOf([tool.function]);
      return toShownTool(described, described.parameters);
    }),
    entries: objectsOf(messages).map((message): Entry => {
      const { role, tool_call_id: id } = message;
      return {
        from: role === "assistant" ? "model" : "client",
        ...(typeof id === "string" && { callId: id }),
        content: message,
      };
    }),
  }),
  whole: (turn, model) => ({
    ...head(turn, model, "chat.completion"),
    choices: [{ index: 0, message: message(turn), finish_reason: reason(turn) }],
    usage: USAGE,
  }),
  events(turn, model) {
    const chunk = (delta: object, finish_reason: string | null) => ({
      ...head(turn, model, "chat.completion.chunk"),
      choices: [{ index: 0, delta, finish_reason }],
      ...(finish_reason && { usage: USAGE }),
    });
    return [
      [undefined, chunk(message(turn), null)],
      [undefined, chunk({}, reason(turn))],
      [undefined, "[DONE]"],
    ];
  },
};

function head({ id }: Turn, model: unknown, object: string): object {
  return { id: `chat_${id}`, object, created: 0, model };
}

function message(turn: Turn): object {
  if (!("call" in turn)) return { role: "assistant", content: turn.text };
  const { id, name, arguments: input } = turn.call;
  const call = { index: 0, id, type: "function", function: { name, arguments: JSON.stringify(input) } };
  return { role: "assistant", content: null, tool_calls: [call] };
}

function reason(turn: Turn): string {
  return "call" in turn ? "tool_calls" : "stop";
}
