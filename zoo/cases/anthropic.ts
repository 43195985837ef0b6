import Anthropic from "@anthropic-ai/sdk";
import { accepts, cannotReturn, gives, refuses, returns } from "../expect.ts";

/** Sends messages. */
export async function send(
  params: Anthropic.MessageCreateParamsNonStreaming,
): Promise<Anthropic.Usage["input_tokens"]> {
  throw new Error(params.model);
}
accepts(
  send,
  [{ model: "m", max_tokens: 5, messages: [{ role: "user", content: "Hi" }] }],
  [
    {
      model: "m",
      max_tokens: 5,
      system: [{ type: "text", text: "Be kind.", cache_control: { type: "ephemeral" } }],
      messages: [{ role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input: { a: [1] } }] }],
      tools: [{ name: "f", input_schema: { type: "object", properties: {} } }],
    },
  ],
);
refuses(
  send,
  [{ model: "m", messages: [] }],
  [{ model: "m", max_tokens: 5, messages: [{ role: "robot", content: "Hi" }] }],
  [{ model: "m", max_tokens: 5, messages: [{ role: "user", content: [{ type: "smell" }] }] }],
  [{ model: "m", max_tokens: 5, messages: [], tools: [{ name: "f", input_schema: { type: "array" } }] }],
);
returns(send, 5);

/** Counts tokens. */
export function count(message: Anthropic.MessageParam): Anthropic.MessageTokensCount {
  throw new Error(message.role);
}
accepts(count, [{ role: "user", content: "Hi" }], [{ role: "user", content: [{ type: "text", text: "Hi" }] }]);
refuses(count, [{ role: "user", content: [{ type: "text" }] }], [{ content: "Hi" }]);
returns(count, { input_tokens: 5 });

/** Shows a text block. */
export function block(id: string): Anthropic.TextBlock | Anthropic.ThinkingBlock {
  throw new Error(id);
}
returns(block, { type: "text", text: "Hi", citations: null }, { type: "thinking", thinking: "…", signature: "s" });
cannotReturn(block, { type: "text" }, { type: "picture" });

/** Chooses a tool. */
export function choose(choice: Anthropic.ToolChoice): string {
  return choice.type;
}
accepts(choose, [{ type: "auto" }], [{ type: "tool", name: "f", disable_parallel_tool_use: true }]);
refuses(choose, [{ type: "tool" }], [{ type: "some" }], [{ type: "none", name: "f" }]);

const recorded = {
  id: "m1",
  type: "message",
  role: "assistant",
  model: "claude",
  content: [{ type: "text", text: "Hello.", citations: null }],
  stop_reason: "end_turn",
  stop_sequence: null,
};
const client = (body: unknown, status = 200): Anthropic =>
  new Anthropic({ apiKey: "SECRET", maxRetries: 0, fetch: async () => Response.json(body, { status }) });

/** Answers, with a recorded response. */
export async function answer(text: string): Promise<Pick<Anthropic.Message, "id" | "content" | "stop_reason">> {
  const messages = [{ role: "user", content: text }] as const;
  const { id, content, stop_reason } = await client(recorded).messages.create({
    model: "claude",
    max_tokens: 9,
    messages: [...messages],
  });
  return { id, content, stop_reason };
}
gives(answer, ["Hi"], {
  id: "m1",
  content: [{ type: "text", text: "Hello.", citations: null }],
  stop_reason: "end_turn",
});

/** Explains why calls failed. */
export async function explain(texts: string[]): Promise<PromiseSettledResult<{ id: string }>[]> {
  const failing = client(
    { type: "error", error: { type: "invalid_request_error", message: "no", token: "SECRET" } },
    400,
  );
  return Promise.allSettled(texts.map((model) => failing.models.retrieve(model)));
}
gives(explain, [["m"]]);
