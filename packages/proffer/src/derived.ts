/**
 * Internal: used by @proffer/cli. No stability promise.
 *
 * @internal
 * @module
 */

export type { MessageTap, TappedExchange, TappedReceiver, Wiretap } from "./calls/wiretap.ts";
export { decode, encode } from "./derived/codec.ts";
export { CodecError, looksLike, type TextKind } from "./derived/codec-text.ts";
export { chooseItems, findMissingTools, showAllToolsets } from "./derived/for-commands.ts";
export {
  createFrontServer,
  type FrontOptions,
  type FrontServer,
  type HeldServer,
  holdServer,
  type Substitutes,
} from "./derived/front-server.ts";
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
  ResultPlan,
} from "./derived/manifest.ts";
export {
  type RunEvent,
  type RunOutcome,
  type RunTracing,
  type TracedRun,
  traceRuns,
} from "./derived/trace-runs.ts";
export type { MissingTool } from "./features/resource-tools/names.ts";
export { toText, type Wire } from "./protocol/messages.ts";
export { compileJsonSchema } from "./schema/json-schema/compile.ts";
export { isAnnotation } from "./schema/json-schema/keywords.ts";
export { patternDegree } from "./schema/json-schema/pattern-safety.ts";
export { MAX_SCHEMAS } from "./schema/json-schema/schema-index.ts";
export { type Overrides, overrideOptions } from "./server/overrides.ts";
export { tokensOf } from "./support/bytes.ts";
export { escapeToken } from "./support/json-pointer.ts";
export { isScope } from "./support/scope.ts";
export { findSimilar } from "./support/similar.ts";
export { connectMemory, type MemoryConnection } from "./transports/memory.ts";
