import { APICallError, embed, type FinishReason, generateText, type LanguageModelUsage, type ModelMessage } from "ai";
import { MockEmbeddingModelV3, MockLanguageModelV3 } from "ai/test";
import { accepts, gives, refuses } from "../expect.ts";

const model = new MockLanguageModelV3({
  doGenerate: async () => ({
    content: [{ type: "text", text: "Hello." }],
    finishReason: { unified: "stop", raw: undefined },
    usage: {
      inputTokens: { total: 3, noCache: 3, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: 2, text: 2, reasoning: undefined },
    },
    warnings: [],
  }),
});

/** Answers. */
export async function answer(
  prompt: string,
): Promise<{ text: string; usage: LanguageModelUsage; finishReason: FinishReason }> {
  const { text, usage, finishReason } = await generateText({ model, prompt });
  return { text, usage, finishReason };
}
gives(answer, ["Hi"]);
refuses(answer, [5]);

/** Continues a conversation. */
export async function talk(messages: ModelMessage[]): Promise<ModelMessage[]> {
  const { response } = await generateText({ model, messages });
  return response.messages;
}
accepts(
  talk,
  [[{ role: "user", content: [{ type: "text", text: "Hi" }] }]],
  [[{ role: "system", content: "Be kind." }]],
);
gives(talk, [[{ role: "user", content: "Hi" }]], [{ role: "assistant", content: [{ type: "text", text: "Hello." }] }]);
refuses(talk, [[{ role: "robot", content: "Hi" }]], [[{ role: "user" }]]);

/** Embeds a text. */
export async function vector(value: string): Promise<{ embedding: number[]; usage: { tokens: number } }> {
  const model = new MockEmbeddingModelV3({
    doEmbed: async () => ({ embeddings: [[0.5, 1]], usage: { tokens: 1 }, warnings: [] }),
  });
  const { embedding, usage } = await embed({ model, value });
  return { embedding, usage };
}
gives(vector, ["Hi"], { embedding: [0.5, 1], usage: { tokens: 1 } });

/** Explains why a call failed. */
export function explain(url: string): { error: APICallError } {
  return {
    error: new APICallError({
      message: "no",
      url,
      requestBodyValues: { key: "SECRET" },
      statusCode: 500,
      responseHeaders: { token: "SECRET" },
    }),
  };
}
gives(explain, ["https://example.org"], { error: { name: "AI_APICallError", message: "no" } });
