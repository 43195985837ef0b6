import { isObject } from "../messages.ts";
import type { CallResult, ToolDescription } from "../model.ts";
import { REV_2026_07_28 } from "./2026-07-28.ts";
import { chain, ITEM_METHODS, type Revision } from "./revision.ts";

/** The last revision with a handshake. Structured results must be objects: any other value is sent as `{ result }`. */
export const REV_2025_11_25: Revision = {
  version: "2025-11-25",
  handshake: true,
  methods: new Set([
    ...["initialize", "ping", ...ITEM_METHODS],
    ...["resources/subscribe", "resources/unsubscribe", "logging/setLevel"],
  ]),
  emptyLists: true,
  batches: false,
  primed: true,
  unreadableId: undefined,
  codes: { resource_not_found: -32002 },
  capabilityErrors: false,
  checksFailures: true,
  inputs: REV_2026_07_28.inputs,
  urlQuestions: true,
  rounds: false,
  extensions: false,
  replacesScopes: true,
  convert: chain(REV_2026_07_28.convert, {
    tool: wrapOutputSchema,
    call: wrapStructuredContent,
    elicitation: (params) => (params.mode === "url" ? { ...params, elicitationId: crypto.randomUUID() } : params),
  }),
};

function wrapOutputSchema(tool: ToolDescription, detail: { readonly wrapped: boolean }): ToolDescription {
  if (!detail.wrapped || tool.outputSchema === undefined) return tool;
  // `$schema` and `$id` apply to the whole document, and references point to `$defs` at its root.
  const { $schema, $id, $defs, ...result } = moveReferences(tool.outputSchema) as Record<string, unknown>;
  const outputSchema = {
    ...($schema === undefined ? {} : { $schema }),
    ...($id === undefined ? {} : { $id }),
    type: "object",
    properties: { result },
    required: ["result"],
    ...($defs === undefined ? {} : { $defs }),
  };
  // A server may also describe an object with this property itself.
  return { ...tool, outputSchema, _meta: { ...tool._meta, "proffer/wrapped": true } };
}

function wrapStructuredContent(result: CallResult, detail: { readonly wrapped: boolean }): CallResult {
  if (result.structuredContent === undefined) return result;
  if (!detail.wrapped && isObject(result.structuredContent)) return result;
  return { ...result, structuredContent: { result: result.structuredContent } };
}

/** Adjusts references to the wrapped schema's root, which moves to `properties.result`; `$defs` stay at the root. */
function moveReferences(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(moveReferences);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (key !== "$ref" || typeof value !== "string") return [key, moveReferences(value)];
      const stays = !(value === "#" || value.startsWith("#/")) || value.startsWith("#/$defs/");
      return [key, stays ? value : `#/properties/result${value.slice(1)}`];
    }),
  );
}
