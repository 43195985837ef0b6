export type { Codec, Plan, PlanCondition, PlanOption } from "proffer/derived";
export type { DeriveOptions, Deriver } from "./deriver.ts";
export { createDeriver, derive } from "./deriver.ts";
export type {
  Binding,
  BoundParameter,
  BoundResult,
  Derivation,
  DerivedArgument,
  DerivedPrompt,
  DerivedQuestion,
  DerivedResource,
  DerivedTool,
  DerivedVariable,
  Emission,
  EmittedFile,
  ToolAnnotations,
} from "./description.ts";
export type { Diagnostic, DiagnosticCode, Severity } from "./diagnostics.ts";
export { DIAGNOSTICS, formatDiagnostic } from "./diagnostics.ts";
export type { Json, JsonSchema, JsonType } from "./json-schema.ts";
