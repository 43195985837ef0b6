export { InvalidParams, NotFound, RpcError } from "./protocol/errors.ts";
export type {
  Annotations,
  CacheHints,
  CallResult,
  ClientCapabilities,
  ContentBlock,
  Icon,
  Implementation,
  LogLevel,
  Meta,
  PromptMessage,
  PromptResult,
  ReadResult,
  ResourceContents,
  ResourceDescription,
  TemplateDescription,
  ToolAnnotations,
  ToolDescription,
} from "./protocol/model.ts";
export type { Around, AroundCall } from "./server/around.ts";
export { type BoundJsonOptions, type BoundTextOptions, boundJson, boundText } from "./server/bounded.ts";
export type { Changed } from "./server/changes.ts";
export type { Complete, CompleteFunction } from "./server/completion.ts";
export {
  assistant,
  audio,
  type Content,
  type ContentItem,
  type Contents,
  contents,
  embed,
  type Failure,
  fail,
  image,
  link,
  type Messages,
  messages,
  type ResourceContent,
  type Result,
  result,
  type Spoken,
  ToolError,
  text,
  user,
} from "./server/content.ts";
export type { Context } from "./server/context.ts";
export { definePrompt, type Prompt, type PromptArgumentOptions, type PromptOptions } from "./server/define-prompt.ts";
export {
  defineResource,
  type FixedResourceOptions,
  type ReadResourceOptions,
  type Resource,
  type ResourceOptions,
} from "./server/define-resource.ts";
export { defineTool, type RequiredCapability, type Tool, type ToolOptions } from "./server/define-tool.ts";
export type { Infer, SchemaLike } from "./server/infer.ts";
export type { Integer } from "./server/integer-type.ts";
export type { JsonSchema, JsonSchemaObject } from "./server/json-schema/types.ts";
export type { ServerLimits } from "./server/limits.ts";
export type { LogEntry, LogSink } from "./server/log.ts";
export { type CharsetOptions, charset } from "./server/params/charset.ts";
export { date, oneOf, uuid } from "./server/params/format.ts";
export { type IntegerOptions, integer } from "./server/params/integer.ts";
export type { Param, ParamOptions, ParamSource } from "./server/params/param.ts";
export { path } from "./server/params/path.ts";
export { type PatternOptions, pattern } from "./server/params/pattern.ts";
export type { Principal } from "./server/principal.ts";
export type { Answer, AskOptions, Root, Sampled, SampleOptions, UrlAnswer } from "./server/questions/ask.ts";
export { type Field, type Fields, field } from "./server/questions/fields.ts";
export type { CheckStep, ContractOptions } from "./server/resource-contract.ts";
export { resourceGroup } from "./server/resource-group.ts";
export type { ListEntries, ListEntry, ListFunction, ListPage, ListRequest } from "./server/resource-list.ts";
export type { Refusal, RefusalKind, RefusalWording, Wordings } from "./server/resource-refusal.ts";
export type { ResourceParams } from "./server/resource-types.ts";
export type { Watch, WatchEvents } from "./server/resource-watch.ts";
export {
  type Collection,
  defineServer,
  isServer,
  type Server,
  type ServerOptions,
} from "./server/server.ts";
export type { Client, Session } from "./server/session.ts";
export { type LinesOptions, type Slice, type SliceOptions, takeItems, takeLines } from "./server/slice.ts";
export type { StandardSchema } from "./server/standard-schema.ts";
export { MemoryStore, type Store } from "./server/store.ts";
export { type UsageCode, UsageError } from "./server/usage-error.ts";
