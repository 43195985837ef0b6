import { codexSchema } from "./codex-schema.ts";
import { asText, type Cut } from "./cut.ts";
import { sha1 } from "./sha1.ts";

// What codex-rs/codex-mcp/src/tools.rs and codex-rs/protocol/src/models.rs of openai/codex do (343074d, August 2026).

const MAX_NAME = 128;
const HASH = 12;

/** Names that are equal after the replacement, or too long, get a part of a hash. */
function codexNames(server: string, tools: readonly string[]): string[] {
  const namespace = `mcp__${clean(server)}__`;
  const counts = new Map<string, number>();
  for (const tool of tools) counts.set(clean(tool), (counts.get(clean(tool)) ?? 0) + 1);
  const used = new Set<string>();
  return tools.map((tool) => {
    const identity = `${server}\0${server}\0\0${tool}\0${tool}`;
    const suffix = `_${sha1(identity).slice(0, HASH)}`;
    let name = namespace + clean(tool) + ((counts.get(clean(tool)) ?? 0) > 1 ? suffix : "");
    if (name.length > MAX_NAME || used.has(name)) name = name.slice(0, MAX_NAME - suffix.length) + suffix;
    used.add(name);
    return name;
  });
}

function clean(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_]/g, "_") || "_";
}

export const codex: Cut = {
  names: codexNames,
  input: codexSchema,
  result({ content, structuredContent }) {
    if (structuredContent !== undefined && structuredContent !== null)
      return [asText(JSON.stringify(structuredContent))];
    if (!content.some(({ type }) => type === "image" || type === "audio")) return [asText(JSON.stringify(content))];
    return content.map((block) => {
      const isShown = block.type === "text" || block.type === "image" || block.type === "audio";
      return isShown ? block : asText(JSON.stringify(block));
    });
  },
};
