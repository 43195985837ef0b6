export type { Middleware, MiddlewareCall } from "./calls/middleware.ts";
export type { Principal } from "./calls/principal.ts";
export type { Client, Session } from "./calls/session.ts";
export type { ResourceChange } from "./catalog/changes.ts";
export type { Complete, CompleteFunction } from "./catalog/completion.ts";
export { definePrompt, type Prompt, type PromptArgumentOptions, type PromptOptions } from "./prompts/define.ts";
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
export type { Answer, AskOptions, Root, Sampled, SampleOptions, UrlAnswer } from "./questions/ask.ts";
export type { Context } from "./questions/context.ts";
export { type Field, type Fields, field } from "./questions/fields.ts";
export {
  defineResource,
  type FixedResourceOptions,
  type ReadResourceOptions,
  type Resource,
  type ResourceOptions,
} from "./resources/define.ts";
export { defineResourceGroup } from "./resources/group.ts";
export type { ListEntries, ListEntry, ListFunction, ListPage, ListRequest } from "./resources/list.ts";
export type { CharsetOptions } from "./resources/params/charset.ts";
export type { IntegerOptions } from "./resources/params/integer.ts";
export type { Param, ParamOptions, ParamSource } from "./resources/params/param.ts";
export { param } from "./resources/params/params.ts";
export type { PatternOptions } from "./resources/params/pattern.ts";
export type { Refusal, RefusalKind, RefusalMessage, RefusalMessages } from "./resources/refusal.ts";
export type { CheckStep, ResourceGroupOptions } from "./resources/rules.ts";
export type { ResourceParams } from "./resources/types.ts";
export type { Watch, WatchEvents } from "./resources/watch.ts";
export {
  assistant,
  audio,
  type Content,
  type Contents,
  contents,
  embed,
  type Failure,
  fail,
  image,
  link,
  type Message,
  type Messages,
  messages,
  type ResourceContent,
  type Result,
  result,
  ToolError,
  text,
  user,
} from "./results/content.ts";
export { type LinesOptions, type Slice, type SliceOptions, sliceItems, sliceLines } from "./results/slice.ts";
export { type TruncateJsonOptions, type TruncateTextOptions, truncateJson, truncateText } from "./results/truncate.ts";
export type { Infer, Integer, SchemaLike } from "./schema/infer.ts";
export type { JsonSchema, JsonSchemaObject } from "./schema/json-schema/types.ts";
export type { StandardSchema } from "./schema/standard-schema.ts";
export type { ServerLimits } from "./server/limits.ts";
export {
  type Collection,
  defineServer,
  isServer,
  type Server,
  type ServerOptions,
} from "./server/server.ts";
export { MemoryStore, type Store } from "./server/store.ts";
export type { LogEntry, LogSink } from "./support/log.ts";
export { type UsageCode, UsageError } from "./support/usage-error.ts";
export { defineTool, type RequiredCapability, type Tool, type ToolOptions } from "./tools/define.ts";
