export type { Module } from "./derived/bind.ts";
export type { Codec, Plan, PlanCondition, PlanOption } from "./derived/codec.ts";
export { createDerivedServer } from "./derived/derived-server.ts";
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
