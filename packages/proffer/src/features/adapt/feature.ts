import type { Call, Conversion } from "../../calls/call.ts";
import { type ProfileId, profileOf } from "../../calls/client-profile.ts";
import { findTool } from "../../catalog/find.ts";
import { isObject } from "../../protocol/messages.ts";
import type { ContentBlock } from "../../protocol/model.ts";
import { mapKeyword } from "../../schema/json-schema/keywords.ts";
import type { JsonSchema, JsonSchemaObject } from "../../schema/json-schema/types.ts";
import type { Feature } from "../../server/feature.ts";
import { utf8Length } from "../../support/bytes.ts";
import { sha1 } from "../../support/sha1.ts";
import { TOOLS } from "../../tools/methods.ts";

/** The names that a client accepts. */
interface NameRules {
  /** The name for the model, of the names of the server and the tool. */
  readonly pattern: string;
  /** As in a regular expression. Default: those that tools may have. */
  readonly characters?: string;
  readonly max: number;
}

/** The conversions for a client. */
interface Adaptation {
  /** Names of tools that the client would omit, cut or refuse are shortened. */
  readonly names?: NameRules;
  /** References in the schemas of arguments are resolved. */
  readonly references?: true;
  /** Output schemas without a type at their root, such as unions, are not listed. */
  readonly typedOutputs?: true;
  /** Structured content is left out of results with images and other blocks, which the model would not see. */
  readonly blocks?: true;
  /** Blocks that the client drops become text. */
  readonly texts?: true;
  /** A first text that is JSON, but no object, gets structured content: the client takes the text for it, and refuses it. */
  readonly jsonTexts?: true;
}

/** The sources are in the table of clients of @proffer/cli; a test compares both. */
const ADAPTATIONS: { readonly [Id in ProfileId]?: Adaptation } = {
  "claude-code": { names: { pattern: "mcp__{server}__{tool}", max: 128 } },
  claude: { names: { pattern: "{tool}", characters: "A-Za-z0-9_-", max: 64 }, typedOutputs: true },
  codex: { names: { pattern: "mcp__{server}__{tool}", characters: "A-Za-z0-9_", max: 128 }, blocks: true },
  "gemini-cli": {
    names: { pattern: "mcp_{server}_{tool}", characters: "A-Za-z0-9_.:-", max: 63 },
    references: true,
    jsonTexts: true,
  },
  opencode: { texts: true },
  chatgpt: { names: { pattern: "{tool}", characters: "A-Za-z0-9_-", max: 64 } },
  cursor: { names: { pattern: "{server}{tool}", max: 60 } },
  zed: { names: { pattern: "{tool}", characters: "A-Za-z0-9_-", max: 64 }, texts: true },
};

/** The option `adapt`: names, schemas and results for clients that would lose a part of them. */
export const feature: Feature = {
  /**
   * A shortened name is replaced by the name of its tool before anything reads it: scopes, visibility and middleware must
   * decide about the tool that runs.
   */
  before(call) {
    if (!call.method.startsWith("tools/")) return;
    const id = profileOf(call.client.info)?.id;
    const needs = id && ADAPTATIONS[id];
    if (needs === undefined) return;
    const conversion = conversionOf(needs, call);
    call.conversion = conversion;
    const { name } = call.params;
    if (call.method !== "tools/call" || typeof name !== "string" || findTool(call, name) !== undefined) return;
    const original = conversion.originalOf(name);
    if (original !== undefined) call.params = { ...call.params, name: original };
  },
};

/** The conversion for the client of a call; and the name of the tool that is listed under a name. */
function conversionOf(needs: Adaptation, call: Call): Conversion & { originalOf(name: string): string | undefined } {
  let names: ReadonlyMap<string, string> | undefined;
  /** The names as listed, by the names of the tools. */
  const listedNames = () => {
    names ??= needs.names === undefined ? new Map() : shortNames(needs.names, call.server.info.name, namesOf(call));
    return names;
  };
  return {
    // Clients with the same needs share their lists.
    key: JSON.stringify(needs),
    tool(description) {
      const { name, inputSchema, outputSchema, ...rest } = description;
      const input = needs.references ? resolveReferences(inputSchema as JsonSchemaObject) : inputSchema;
      const keepsOutput = outputSchema !== undefined && !(needs.typedOutputs && !hasType(outputSchema));
      const listed = listedNames().get(name) ?? name;
      return { ...rest, name: listed, inputSchema: input, ...(keepsOutput && { outputSchema }) };
    },
    result(result) {
      const content = needs.texts ? result.content.map(toText) : result.content;
      if (needs.jsonTexts && result.structuredContent === undefined && isOtherJson(content[0]))
        return { ...result, content, structuredContent: {} };
      if (!needs.blocks || content.every(({ type }) => type === "text")) return { ...result, content };
      const { structuredContent: _, ...rest } = result;
      return { ...rest, content };
    },
    originalOf: (name) => [...listedNames()].find(([, listed]) => listed === name)?.[0],
  };
}

/** The names of all tools for the client: those of the author, and those that other features add. */
function namesOf(call: Call): readonly string[] {
  const { tools, features } = call.server;
  const added = features.with("list").flatMap((each) => each.list(call, TOOLS.name)?.entries ?? []);
  return [...tools.keys(), ...added.map(({ item }) => item.name)];
}

function hasType(schema: object): boolean {
  return isObject(schema) && schema.type !== undefined;
}

/** Whether a block is a text that is JSON, but no object. */
function isOtherJson(block: ContentBlock | undefined): boolean {
  if (block?.type !== "text") return false;
  try {
    return !isObject(JSON.parse(block.text));
  } catch {
    return false;
  }
}

/** Converts blocks that the client drops to text. */
function toText(block: ContentBlock): ContentBlock {
  switch (block.type) {
    case "resource_link":
      return { type: "text", text: `${block.title ?? block.name}: ${block.uri}` };
    case "resource":
      return { type: "text", text: block.resource.text ?? `The resource ${block.resource.uri} is not text.` };
    case "audio":
      return {
        type: "text",
        text: `The result has a sound of type ${block.mimeType}, which this client does not play.`,
      };
    default:
      return block;
  }
}

/** In bytes. A larger schema would cost more than its references. */
const MAX_BYTES = 20_000;
const DEFINITION = /^#\/\$defs\/([^/]+)$/;

/**
 * Returns a schema without references, for clients that do not resolve them. A type that contains itself accepts
 * anything from its second level on. `oneOf` becomes `anyOf`, which more clients know.
 */
function resolveReferences(schema: JsonSchemaObject): JsonSchemaObject {
  const { $defs = {}, ...root } = schema;
  let bytes = 0;
  const resolve = (part: JsonSchema, open: readonly string[]): JsonSchema => {
    if (typeof part === "boolean" || bytes > MAX_BYTES) return part;
    const { $ref, oneOf, ...rest } = part;
    const kept = { ...rest, ...(oneOf !== undefined && (rest.anyOf === undefined ? { anyOf: oneOf } : { oneOf })) };
    const entries = Object.entries(kept).map(([keyword, value]) => {
      const mapped = mapKeyword(keyword, value, (child) => resolve(child, open));
      if (typeof mapped !== "object") bytes += utf8Length(JSON.stringify([keyword, mapped]));
      return [keyword, mapped] as const;
    });
    const own = Object.fromEntries(entries);
    if ($ref === undefined) return own;
    const name = DEFINITION.exec($ref)?.[1] ?? "";
    const target = Object.hasOwn($defs, name) && !open.includes(name) ? $defs[name] : undefined;
    if (target === undefined) return own;
    const resolved = resolve(target, [...open, name]);
    return typeof resolved === "boolean" ? resolved : { ...resolved, ...own };
  };
  const resolved = resolve(root, []) as JsonSchemaObject;
  return bytes > MAX_BYTES ? schema : resolved;
}

/** The end of a name that was cut, so that two names do not become one. */
const HASH = 8;
/** However long the name of the server is. */
const MIN_LENGTH = 16;

/**
 * Returns names that a client shows unchanged, by the names of the tools. A name that the client accepts stays, and no
 * other tool gets it. The same tools always get the same names.
 */
function shortNames(rules: NameRules, server: string, tools: Iterable<string>): Map<string, string> {
  const { pattern, characters = "A-Za-z0-9_.-", max } = rules;
  const around = pattern.replace("{server}", () => server).replace("{tool}", "").length;
  const length = Math.max(MIN_LENGTH, max - around);
  const isAccepted = (name: string) => name.length <= length && new RegExp(`^[${characters}]*$`).test(name);
  const all = [...tools];
  const used = new Set(all.filter(isAccepted));
  const names = new Map<string, string>();
  for (const tool of all) {
    if (isAccepted(tool)) continue;
    const clean = tool.replaceAll(new RegExp(`[^${characters}]`, "g"), "_");
    const hashed = `${clean.slice(0, length - HASH - 1)}_${sha1(tool).slice(0, HASH)}`;
    const name = clean.length <= length && !used.has(clean) ? clean : hashed;
    // Only someone who looks for two names with the same hash finds them; the tool then keeps its own.
    if (used.has(name)) continue;
    used.add(name);
    names.set(tool, name);
  }
  return names;
}
