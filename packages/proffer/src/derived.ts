export type { Module } from "./derived/bind.ts";
export { type BuiltChecks, partCheck } from "./derived/built-check.ts";
export { type Codec, decode, encode, type Plan, type PlanCondition, type PlanOption } from "./derived/codec.ts";
export { CodecError, looksLike, type TextKind } from "./derived/codec-text.ts";
export { createDerivedServer, type DerivedOptions } from "./derived/derived-server.ts";
export { checkManifest } from "./derived/lazy-schema.ts";
export type {
  Binding,
  BoundParameter,
  BoundResult,
  Manifest,
  ManifestArgument,
  ManifestPrompt,
  ManifestResource,
  ManifestTool,
  ManifestVariable,
} from "./derived/manifest.ts";
export { run } from "./schema/json-schema/run.ts";
export { type ProcessOptions, serveByArguments, serveProcess } from "./transports/process.ts";
