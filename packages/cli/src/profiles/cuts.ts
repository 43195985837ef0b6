import type { ContentBlock } from "proffer";
import { isObject, type Members, parseJson } from "../terminal/json.ts";
import { codex } from "./codex.ts";
import { asText, type Cut, mapValues, Refusal } from "./cut.ts";
import type { Profile } from "./profile.ts";

// As packages/core/src/tools/mcp-tool.ts and mcp-client.ts of google-gemini/gemini-cli do (5411f11, August 2026).

const MAX_GEMINI_NAME = 63;
const MAX_GEMINI_TEXT = 40_000;

function nameFor(server: string, tool: string): string {
  const full = `${server}_${tool}`;
  const name = (full.startsWith("mcp_") ? full : `mcp_${full}`).replaceAll(/[^A-Za-z0-9_\-.:]/g, "_");
  return name.length > MAX_GEMINI_NAME ? `${name.slice(0, 30)}...${name.slice(-30)}` : name;
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
  const tail = MAX_GEMINI_TEXT * 0.8;
  const omitted = `\n\n... [${text.length - MAX_GEMINI_TEXT} characters omitted] ...\n\n`;
  const cut =
    text.length <= MAX_GEMINI_TEXT ? text : text.slice(0, MAX_GEMINI_TEXT - tail) + omitted + text.slice(-tail);
  const escaped = cut.replaceAll("</untrusted_context>", "&lt;/untrusted_context&gt;");
  return asText(`<untrusted_context>\n${escaped}\n</untrusted_context>`);
}

/** Gemini CLI takes a first text that is JSON as structured content, which must be an object. As 0.61.0 does. */
function isRefused(first: ContentBlock | undefined): boolean {
  const value = first?.type === "text" ? parseJson(first.text) : undefined;
  return value !== undefined && !isObject(value);
}

const geminiCli: Cut = {
  names: (server, tools) => tools.map((tool) => nameFor(server, tool)),
  input: (schema) => nullable(schema) as object,
  result: ({ content, structuredContent }, tool) => {
    if (structuredContent === undefined && isRefused(content[0]))
      return [asText(`MCP tool '${tool}' reported tool error`)];
    return content.flatMap((block): ContentBlock[] => {
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
    });
  },
};

// As crates/agent/src/thread.rs and tools/context_server_registry.rs, and crates/language_model_core/src/tool_schema.rs
// of zed-industries/zed do for models that accept JSON Schema (7eec892, August 2026).

const MAX_ZED_NAME = 64;
/** Definitions that refer to the next one twice grow beyond all bounds. */
const MAX_PARTS = 100_000;

function zedSchema(schema: object): object {
  const { $schema: _, title: __, description: ___, $defs, definitions, ...root } = schema as Members;
  const hasDefinitions = $defs !== undefined || definitions !== undefined;
  const resolved = hasDefinitions ? (inline(root, { $defs, definitions }, [], { left: MAX_PARTS }) as Members) : root;
  return resolved.type === "object" ? { additionalProperties: false, properties: {}, ...resolved } : resolved;
}

function inline(value: unknown, tables: Members, open: readonly string[], budget: { left: number }): unknown {
  if (--budget.left < 0) throw new Refusal(`the references lead to more than ${MAX_PARTS} parts`);
  if (Array.isArray(value)) return value.map((item) => inline(item, tables, open, budget));
  if (!isObject(value)) return value;
  const { $ref, ...siblings } = value;
  if (typeof $ref !== "string") return mapValues(value, (item) => inline(item, tables, open, budget));
  if (open.includes($ref)) return {};
  const [, table = "", name = ""] = /^#\/(\$defs|definitions)\/(.*)$/.exec($ref) ?? [];
  const target = isObject(tables[table]) ? tables[table][name] : undefined;
  if (target === undefined) throw new Refusal(`the reference ${$ref} is not one to a definition`);
  return inline(isObject(target) ? { ...target, ...siblings } : target, tables, [...open, $ref], budget);
}

/** Of tools with the same name, the last one stays. */
const zed: Cut = {
  names: (_server, tools) => tools.map((tool) => tool.slice(0, MAX_ZED_NAME).replaceAll(/[^A-Za-z0-9_-]/g, "_")),
  input: zedSchema,
  result({ content, isError }) {
    if (isError) return [asText(content.map((block) => (block.type === "text" ? block.text : "")).join(""))];
    return content.filter(({ type }) => type === "text" || type === "image");
  },
};

// As crates/goose/src/agents/extension_manager.rs and large_response_handler.rs of block/goose do (e94f304, April 2026).

const MAX_GOOSE_TEXT = 200_000;

const goose: Cut = {
  names: (server, tools) => tools.map((tool) => `${server}__${tool}`),
  input: (schema) => schema,
  result: ({ content }) =>
    content.map((block) => {
      const length = block.type === "text" ? [...block.text].length : 0;
      if (length <= MAX_GOOSE_TEXT) return block;
      return asText(`The result has ${length} characters and is in a file, which other tools can search.`);
    }),
};

/** The clients whose source code was read: their exact behavior. */
const CUTS: { readonly [id: string]: Cut } = { codex, "gemini-cli": geminiCli, zed, goose };

/** Returns how a client changes tools and results: as its source code does, or as far as its profile says. */
export function cutOf(profile: Profile): Cut {
  return CUTS[profile.id] ?? cutByRules(profile);
}

function cutByRules({ toolNames, schemas, results }: Profile): Cut {
  const { pattern = "{tool}", characters, strict, max = Number.POSITIVE_INFINITY, beyond } = toolNames?.value ?? {};
  const { drops = [] } = schemas?.value ?? {};
  const { structuredOnly, structuredFirst, blocks, maxText } = results?.value ?? {};
  const shown = (block: ContentBlock) => (block.type === "text" ? asText(block.text.slice(0, maxText)) : block);
  return {
    names: (server, tools) =>
      tools.map((tool) => {
        const name = pattern.replace("{server}", () => server).replace("{tool}", () => tool);
        const clean = characters && !strict ? name.replaceAll(new RegExp(`[^${characters}]`, "g"), "_") : name;
        return beyond === "cut" ? clean.slice(0, max) : clean;
      }),
    input: (schema) => Object.fromEntries(Object.entries(schema).filter(([keyword]) => !drops.includes(keyword))),
    result({ content, structuredContent }) {
      if (structuredOnly && structuredContent !== undefined)
        return [{ type: "text", text: JSON.stringify(structuredContent) }];
      if (structuredFirst && structuredContent !== undefined)
        return [asText(JSON.stringify(structuredContent)), ...content.filter(({ type }) => type !== "text")];
      return content.filter(({ type }) => blocks === undefined || blocks.includes(type)).map(shown);
    },
  };
}
