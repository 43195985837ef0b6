import {
  type Content,
  FunctionCallingConfigMode,
  type GenerateContentConfig,
  type GenerateContentResponse,
  GoogleGenAI,
} from "@google/genai";
import { accepts, gives, refuses } from "../expect.ts";

const recorded = {
  candidates: [{ content: { role: "model", parts: [{ text: "Hello." }] }, finishReason: "STOP" }],
  usageMetadata: { promptTokenCount: 1, totalTokenCount: 3 },
  modelVersion: "m",
};

/** Runs a call with a recorded response. */
async function ask(contents: Content[]): Promise<GenerateContentResponse> {
  const { fetch } = globalThis;
  globalThis.fetch = async () => Response.json(recorded);
  try {
    return await new GoogleGenAI({ apiKey: "SECRET" }).models.generateContent({ model: "m", contents });
  } finally {
    globalThis.fetch = fetch;
  }
}

/** Answers. */
export async function answer(
  text: string,
): Promise<Pick<GenerateContentResponse, "candidates" | "usageMetadata" | "modelVersion">> {
  const { candidates, usageMetadata, modelVersion } = await ask([{ role: "user", parts: [{ text }] }]);
  return { candidates, usageMetadata, modelVersion };
}
gives(answer, ["Hi"], {
  candidates: [{ content: { role: "model", parts: [{ text: "Hello." }] }, finishReason: "STOP" }],
  usageMetadata: { promptTokenCount: 1, totalTokenCount: 3 },
  modelVersion: "m",
});

/** Continues a conversation. */
export async function talk(
  contents: Content[],
  config?: Pick<GenerateContentConfig, "temperature" | "toolConfig">,
): Promise<Content[]> {
  const { candidates } = await ask(contents);
  return [
    ...contents,
    ...(candidates ?? []).flatMap(({ content }) => content ?? []),
    ...(config === undefined ? [] : [{}]),
  ];
}
accepts(talk, [
  [{ parts: [{ text: "Hi" }] }],
  { temperature: 1, toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY } } },
]);
gives(
  talk,
  [[{ parts: [{ text: "Hi" }] }]],
  [{ parts: [{ text: "Hi" }] }, { role: "model", parts: [{ text: "Hello." }] }],
);
refuses(talk, [[{ parts: "Hi" }]], [[{ parts: [{ txt: "Hi" }] }]], [[], { temperature: "1" }]);
