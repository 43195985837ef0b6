/**
 * Internal: used by @proffer/cli. No stability promise.
 *
 * @internal
 * @module
 */

export { profileOf } from "./calls/client-profile.ts";
export { decode, encode } from "./derived/codec.ts";
export { TEXT_FORMS, type TextKind } from "./derived/codec-text.ts";
export {
  type BackgroundServer,
  createFacade,
  runInBackground,
  type Substitutes,
} from "./derived/facade.ts";
export type { Module } from "./derived/load.ts";
export type {
  Binding,
  BoundParameter,
  BoundResult,
  Codec,
  CustomPlan,
  Manifest,
  ManifestArgument,
  ManifestCompanion,
  ManifestPrompt,
  ManifestResource,
  ManifestSettings,
  ManifestTask,
  ManifestTool,
  ManifestVariable,
  ParamScopes,
  Plan,
  PlanCondition,
  PlanOption,
} from "./derived/manifest.ts";
export { toText, type Wire } from "./protocol/messages.ts";
export { compileJsonSchema } from "./schema/json-schema/compile.ts";
export { isAnnotation, mapKeyword } from "./schema/json-schema/keywords.ts";
export { patternProblem } from "./schema/json-schema/pattern.ts";
export { MAX_SCHEMAS } from "./schema/json-schema/schema-index.ts";
export { overrideOptions, type Watcher } from "./server/overrides.ts";
export { tokensOf } from "./support/bytes.ts";
export { escapeToken } from "./support/json-pointer.ts";
export { isScope } from "./support/scope.ts";
export { findSimilar } from "./support/similar.ts";
export type { HttpExchange } from "./transports/http/exchange.ts";
export { connectMemory } from "./transports/memory.ts";
