import { type Dialect, type Entry, objectsOf, toShownTool } from "./dialect.ts";

/** Gemini. */
export const gemini: Dialect = {
  path: /:(?:stream)?[gG]enerateContent$/,
  isStream: (_, path) => /:streamGenerateContent$/.test(path),
  read: ({ tools, contents }) => ({
    tools: objectsOf(tools)
      .flatMap(({ functionDeclarations }) => objectsOf(functionDeclarations))
      .map((tool) => toShownTool(tool, tool.parametersJsonSchema ?? tool.parameters)),
    entries: objectsOf(contents).flatMap(({ role, parts }) =>
      objectsOf(parts).map((part): Entry => {
        const [{ id } = {}] = objectsOf([part.functionResponse]);
        return {
          from: role === "model" ? "model" : "client",
          ...(typeof id === "string" && { callId: id }),
          content: part,
        };
      }),
    ),
  }),
  whole(turn) {
    const part =
      "call" in turn
        ? { functionCall: { id: turn.call.id, name: turn.call.name, args: turn.call.arguments } }
        : { text: turn.text };
    return {
      candidates: [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
      modelVersion: "lab",
    };
  },
  events(turn, model) {
    return [[undefined, this.whole(turn, model)]];
  },
};
