export { Client, type ListItems } from "./client/client.ts";
export { type CommandOptions, linkCommand, safeVariables } from "./client/command-link.ts";
export {
  type Command,
  type ConnectOptions,
  connect,
  connectOver,
  type LinkedOptions,
  type Target,
  type TypedClient,
  type TypesOption,
} from "./client/connect.ts";
export { ConnectionError, type ConnectionProblem, RemoteError, ToolFailure, TypesMismatch } from "./client/errors.ts";
export { HeaderParams, headersFor } from "./client/headers.ts";
export { linkUrl, type UrlOptions } from "./client/http-link.ts";
export { nameOfUrl } from "./client/http-streams.ts";
export type {
  Headers,
  Link,
  LinkEvents,
  LinkObserver,
  LinkOptions,
  OpenLink,
  Outgoing,
  SeenHead,
} from "./client/link.ts";
export type { ListenOptions, Subscription } from "./client/listen.ts";
export {
  type Asked,
  type CallArguments,
  type ClientOptions,
  type Notification,
  REVISIONS,
  type RequestOptions,
  type Root,
  type ScriptedAnswer,
  type ScriptedAnswers,
  type ToolCallResult,
} from "./client/options.ts";
export type { Api, Written } from "./client/served.ts";
export type { Session, Start } from "./client/session.ts";
export { SHAPES } from "./client/shape.ts";
export { RemoteTask } from "./client/task.ts";
export type { Wire } from "./client/wire.ts";
export type { OnBehalfOf, RemoteOptions, RemoteServer } from "./features/mounts/options.ts";
export { remote } from "./features/mounts/remote.ts";
export type { DetailedTask, TaskStatus } from "./features/tasks/protocol.ts";
export type { LoginOptions } from "./login/options.ts";
export type { JsonObject, RequestId } from "./protocol/messages.ts";
