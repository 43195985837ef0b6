export type { TransportName } from "./calls/call.ts";
export type { ItemDescription, MiddlewareCall } from "./calls/call-view.ts";
export type { Client, Principal, Session } from "./calls/client.ts";
export type { ClientProfile, ProfileId } from "./calls/client-profile.ts";
export type { ErrorsOption } from "./calls/exposed-error.ts";
export type { Middleware } from "./calls/middleware.ts";
export type { Observer } from "./calls/observe.ts";
export { MemoryStore, type Store } from "./calls/store.ts";
export type { Caller, Item, Shows } from "./catalog/access.ts";
export type { ResourceChange } from "./catalog/changes.ts";
export { type AnyFunction, type ArgumentName, type CompanionOptions, companion } from "./catalog/companion.ts";
export type { Complete, CompleteFunction } from "./catalog/completion.ts";
export type {
  Bus,
  BusListener,
  Cluster,
  Later,
  LogLimits,
  Queue,
  QueueWork,
  QueueWorker,
  QueueWorkOptions,
  RecordChange,
  RecordChanged,
  RecordFields,
  SharedStore,
  StoredEntry,
} from "./nodes/ports.ts";
export {
  type CreatedByDefinePrompt,
  definePrompt,
  type Prompt,
  type PromptArgumentOptions,
  type PromptArguments,
  type PromptOptions,
  type PromptReturn,
  type PromptValues,
} from "./prompts/define.ts";
export { Busy, type ErrorName, InvalidParams, NotFound, RpcError } from "./protocol/errors.ts";
export type {
  Annotations,
  CacheHints,
  CallResult,
  ClientCapabilities,
  ContentBlock,
  EmbedBlock,
  Icon,
  Implementation,
  LinkBlock,
  LogLevel,
  MediaBlock,
  Meta,
  PromptArgument,
  PromptDescription,
  PromptMessage,
  PromptResult,
  ReadResult,
  ResourceContents,
  ResourceDescription,
  TemplateDescription,
  TextBlock,
  ToolAnnotations,
  ToolDescription,
} from "./protocol/model.ts";
export type { Answer, AskOptions, FormContent, Root, Sampled, SampleOptions, UrlAnswer } from "./questions/ask.ts";
export type { Context } from "./questions/context.ts";
export {
  type ChoiceValues,
  type Field,
  type FieldOptions,
  type Fields,
  type FieldValues,
  field,
  type NumberLimits,
  type TextLimits,
} from "./questions/fields.ts";
export type { Refusal, RefusalKind, RefusalMessages } from "./resources/check-match.ts";
export type { Params } from "./resources/check-params.ts";
export {
  type CreatedByDefineResource,
  defineResource,
  type FixedResourceOptions,
  type ReadResourceOptions,
  type ReadReturn,
  type Resource,
  type ResourceOptions,
} from "./resources/define.ts";
export type { ListEntries, ListEntry, ListFunction, ListPage, ListRequest } from "./resources/list.ts";
export { defineResourceGroup } from "./resources/list.ts";
export type {
  CheckSource,
  Param,
  ParamIssue,
  ParamIssueKind,
  ParamOptions,
  ParamSource,
  ParamSources,
  ResourceParams,
} from "./resources/param.ts";
export type { CharsetOptions, IntegerOptions, PatternOptions } from "./resources/param-kinds.ts";
export { param } from "./resources/param-kinds.ts";
export type { ResourceGroupOptions } from "./resources/rules.ts";
export type { Watch, WatchEvents } from "./resources/watch.ts";
export {
  assistant,
  audio,
  type BlockOptions,
  type Content,
  type Contents,
  contents,
  embed,
  type FailOptions,
  type Failure,
  fail,
  image,
  link,
  type Message,
  type Messages,
  messages,
  type ResourceContent,
  type Result,
  type ResultOptions,
  result,
  ToolError,
  text,
  user,
} from "./results/content.ts";
export { type LinesOptions, type Slice, type SliceOptions, sliceItems, sliceLines } from "./results/slice.ts";
export { type TruncateJsonOptions, type TruncateTextOptions, truncateJson, truncateText } from "./results/truncate.ts";
export { type CodecOptions, type CustomCodec, defineCodec } from "./schema/custom-codec.ts";
export type { JsonSchema, JsonSchemaMap, JsonSchemaObject } from "./schema/json-schema/types.ts";
export type {
  FromJsonSchema,
  Infer,
  Integer,
  Schema,
  SchemaLike,
  StandardResult,
  StandardSchema,
} from "./schema/schema.ts";
export type { ServerLimits } from "./server/limits.ts";
export type { HttpMetrics, MetricValues, ServerMetrics } from "./server/metrics.ts";
export type { CreatedByRemote, LocalMount, MountOptions, ServerOptions, ToolsetSettings } from "./server/options.ts";
export {
  type Collection,
  type Defined,
  defineServer,
  isServer,
  type Server,
} from "./server/server.ts";
export type { LogEntry, LogSink } from "./support/log.ts";
export { type UsageCode, UsageError } from "./support/usage-error.ts";
export type { MaxResult, TaskOption, TaskSettings } from "./tools/define.ts";
export {
  type CreatedByDefineTool,
  defineTool,
  type RequiredCapability,
  type Tool,
  type ToolOptions,
  type ToolReturn,
} from "./tools/define.ts";
export type { HeaderParam } from "./tools/header-params.ts";
