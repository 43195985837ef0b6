export { RemoteError } from "./client/errors.ts";
export type { Link } from "./client/link.ts";
export type { ListenOptions, Subscription } from "./client/listen.ts";
export type {
  Asked,
  CallArguments,
  ClientOptions,
  Notification,
  RequestOptions,
  ScriptedAnswer,
  ScriptedAnswers,
  ToolCallResult,
} from "./client/options.ts";
export type { Session, Start } from "./client/session.ts";
export { RemoteTask } from "./client/task.ts";
export type { DetailedTask, TaskStatus } from "./features/tasks/protocol.ts";
export { memoryCluster } from "./nodes/memory.ts";
export type { ErrorObject } from "./protocol/errors.ts";
export type { JsonObject } from "./protocol/messages.ts";
export { LostRequest, TestClient, type TestOptions } from "./testing/client.ts";
export {
  type ConnectOptions,
  connect,
  connectOver,
  findRepeats,
  type Repeat,
  type RepeatOptions,
} from "./testing/connect.ts";
export { Transcript } from "./testing/messages.ts";
