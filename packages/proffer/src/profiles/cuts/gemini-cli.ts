import { isObject } from "../../protocol/messages.ts";
import type { ContentBlock } from "../../protocol/model.ts";
import { asText, type Cut, mapValues } from "./cut.ts";

// What packages/core/src/tools/mcp-tool.ts and mcp-client.ts of google-gemini/gemini-cli do (5411f11, August 2026).

const MAX_NAME = 63;
const MAX_TEXT = 40_000;

function nameFor(server: string, tool: string): string {
  const full = `${server}_${tool}`;
  const name = (full.startsWith("mcp_") ? full : `mcp_${full}`).replaceAll(/[^A-Za-z0-9_\-.:]/g, "_");
  return name.length > MAX_NAME ? `${name.slice(0, 30)}...${name.slice(-30)}` : name;
}

function nullable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(nullable);
  if (!isObject(value)) return value;
  const { type } = value;
  const other = Array.isArray(type) && type.length === 2 && type.includes("null") && type.find((one) => one !== "null");
  return mapValues(typeof other === "string" ? { ...value, type: other, nullable: true } : value, nullable);
}

/** Of a text that is longer than this, the model sees both ends; the whole text is in a file. */
function cutText(text: string): ContentBlock {
  const tail = MAX_TEXT * 0.8;
  const omitted = `\n\n... [${text.length - MAX_TEXT} characters omitted] ...\n\n`;
  const cut = text.length <= MAX_TEXT ? text : text.slice(0, MAX_TEXT - tail) + omitted + text.slice(-tail);
  const escaped = cut.replaceAll("</untrusted_context>", "&lt;/untrusted_context&gt;");
  return asText(`<untrusted_context>\n${escaped}\n</untrusted_context>`);
}

export const geminiCli: Cut = {
  names: (server, tools) => tools.map((tool) => nameFor(server, tool)),
  input: (schema) => nullable(schema) as object,
  result: ({ content }, tool) =>
    content.flatMap((block): ContentBlock[] => {
      switch (block.type) {
        case "text":
          return [cutText(block.text)];
        case "resource": {
          const { text, blob, mimeType = "application/octet-stream" } = block.resource;
          if (text) return [cutText(text)];
          const note = `[Tool '${tool}' provided the following embedded resource with mime-type: ${mimeType}]`;
          return blob ? [asText(note), { type: "image", data: blob, mimeType }] : [];
        }
        case "resource_link":
          return [asText(`Resource Link: ${block.title || block.name} at ${block.uri}`)];
        default:
          return [
            asText(`[Tool '${tool}' provided the following ${block.type} data with mime-type: ${block.mimeType}]`),
            block,
          ];
      }
    }),
};
