export type { DetailedTask, TaskStatus } from "./features/tasks/protocol.ts";
export { memoryCluster } from "./nodes/memory.ts";
export type { ErrorObject } from "./protocol/errors.ts";
export type { JsonObject } from "./protocol/messages.ts";
export { TestClient } from "./testing/client.ts";
export {
  type ConnectOptions,
  connect,
  connectOver,
  findRepeats,
  type Repeat,
  type RepeatOptions,
} from "./testing/connect.ts";
export type { ListenOptions, Notification } from "./testing/messages.ts";
export { RemoteError, Transcript } from "./testing/messages.ts";
export type {
  Asked,
  CallArguments,
  ClientOptions,
  Link,
  RequestOptions,
  ScriptedAnswer,
  ScriptedAnswers,
  ToolCallResult,
} from "./testing/options.ts";
export { LostRequest, TestTask } from "./testing/task.ts";
