import OpenAI from "openai";
import { accepts, cannotReturn, gives, refuses, returns } from "../expect.ts";

/** Continues a chat. */
export async function chat(
  messages: OpenAI.Chat.ChatCompletionMessageParam[],
  options: Pick<OpenAI.Chat.ChatCompletionCreateParams, "model" | "temperature" | "stop" | "tool_choice">,
): Promise<OpenAI.CompletionUsage> {
  throw new Error(options.model + messages.length);
}
accepts(
  chat,
  [[{ role: "user", content: "Hi" }], { model: "gpt-x" }],
  [
    [
      {
        role: "user",
        content: [
          { type: "text", text: "Hi" },
          { type: "image_url", image_url: { url: "u", detail: "low" } },
        ],
      },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "t", type: "function", function: { name: "f", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "t", content: "5" },
    ],
    { model: "gpt-x", temperature: null, stop: ["a"], tool_choice: { type: "function", function: { name: "f" } } },
  ],
);
refuses(
  chat,
  [[{ role: "user" }], { model: "gpt-x" }],
  [[{ role: "robot", content: "Hi" }], { model: "gpt-x" }],
  [[{ role: "tool", content: "5" }], { model: "gpt-x" }],
  [[{ role: "user", content: "Hi" }], { model: "gpt-x", tool_choice: "sometimes" }],
);
returns(chat, { completion_tokens: 1, prompt_tokens: 2, total_tokens: 3 });
cannotReturn(chat, { completion_tokens: "1", prompt_tokens: 2, total_tokens: 3 });

/** Embeds text. */
export function embed(params: OpenAI.EmbeddingCreateParams): OpenAI.CreateEmbeddingResponse {
  throw new Error(params.model);
}
accepts(
  embed,
  [{ input: "a", model: "m" }],
  [{ input: ["a", "b"], model: "m" }],
  [{ input: [[1, 2], [3]], model: "m" }],
);
refuses(
  embed,
  [{ input: ["a", 1], model: "m" }],
  [{ input: "a" }],
  [{ input: "a", model: "m", encoding_format: "hex" }],
);
returns(embed, {
  object: "list",
  model: "m",
  data: [{ object: "embedding", index: 0, embedding: [0.5] }],
  usage: { prompt_tokens: 1, total_tokens: 1 },
});

/** Defines a function. */
export const define = (definition: OpenAI.FunctionDefinition): OpenAI.FunctionDefinition => definition;
accepts(define, [{ name: "f" }], [{ name: "f", strict: null, parameters: { type: "object", properties: { a: [] } } }]);
refuses(define, [{ name: "f", strict: "yes" }], [{ parameters: {} }], [{ name: "f", parameters: [] }]);
returns(define, { name: "f", parameters: { deep: { er: [1] } } });

/** Completes a chat. */
export function complete(
  params: OpenAI.Chat.ChatCompletionCreateParamsNonStreaming,
): OpenAI.Chat.ChatCompletionMessage {
  throw new Error(params.model);
}
accepts(complete, [
  { model: "m", messages: [{ role: "user", content: "Hi" }], response_format: { type: "json_object" } },
]);
refuses(
  complete,
  [{ model: "m" }],
  [{ model: "m", messages: [], stream: true }],
  [{ model: "m", messages: [], n: "1" }],
);
returns(complete, { role: "assistant", content: null, refusal: "No." });
cannotReturn(complete, { role: "user", content: null, refusal: null });

/** Asks for a response. */
export function respond(params: OpenAI.Responses.ResponseCreateParamsNonStreaming): string {
  throw new Error(String(params.model));
}
accepts(respond, [{ model: "m", input: "Hi" }], [{ input: [{ role: "user", content: "Hi" }], metadata: { a: "b" } }]);
refuses(respond, [{ input: 5 }], [{ metadata: { a: 5 } }]);

const recorded = {
  id: "c1",
  object: "chat.completion",
  created: 0,
  model: "m",
  choices: [
    {
      index: 0,
      finish_reason: "stop",
      logprobs: null,
      message: { role: "assistant", content: "Hello.", refusal: null },
    },
  ],
  usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
};
const client = (body: unknown, status = 200): OpenAI =>
  new OpenAI({
    apiKey: "SECRET",
    maxRetries: 0,
    fetch: async () => Response.json(body, { status, headers: { "x-request-id": "r1" } }),
  });

/** Answers, with a recorded response. */
export async function answer(text: string): Promise<OpenAI.ChatCompletion> {
  return client(recorded).chat.completions.create({ model: "m", messages: [{ role: "user", content: text }] });
}
gives(answer, ["Hi"], {
  id: "c1",
  object: "chat.completion",
  created: 0,
  model: "m",
  choices: [
    {
      index: 0,
      finish_reason: "stop",
      logprobs: null,
      message: { role: "assistant", content: "Hello.", refusal: null },
    },
  ],
  usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
});

/** Explains why a call failed. */
export async function explain(text: string): Promise<InstanceType<typeof OpenAI.APIError> | undefined> {
  const answer = client({ error: { message: "no", param: "SECRET" } }, 401).models.retrieve(text);
  return answer.then(
    () => undefined,
    (error) => (error instanceof OpenAI.APIError ? error : undefined),
  );
}
gives(explain, ["m"], { name: "Error", message: "401 no" });
