export type { Asked, ScriptedAnswer, ScriptedAnswers } from "./testing/answers.ts";
export {
  type ClientOptions,
  type Link,
  RemoteError,
  type RequestOptions,
  TestClient,
} from "./testing/client.ts";
export { type ConnectOptions, connect, connectOver } from "./testing/connect.ts";
export type { ListenOptions } from "./testing/listen.ts";
export type { Notification } from "./testing/notifications.ts";
export { findRepeats, type Repeat, type RepeatOptions } from "./testing/repeats.ts";
export { Transcript } from "./testing/transcript.ts";
