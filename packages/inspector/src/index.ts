/**
 * The page that `proffer inspect` and `proffer dev --inspect` show. Internal: used by @proffer/cli. No stability promise.
 *
 * @internal
 * @module
 */

export { type Inspector, startInspector } from "./inspector.ts";
export type { Draft, InspectorFinding, ModelView, SourceView } from "./protocol/api.ts";
export type { Answer, CallMethod, CallState } from "./protocol/call.ts";
export type { Change, Edit, EditProblem } from "./protocol/edit.ts";
export type { Json, JsonObject } from "./protocol/json.ts";
export type { ItemKind, Offer, Place, ServerInfo, Target } from "./protocol/offer.ts";
export type { HttpHead, Lane, WireLine, WireMessage } from "./protocol/wire.ts";
export { DEFAULT_PORT } from "./server.ts";
export { ApiProblem } from "./support/api-problem.ts";
export type {
  ClientProfile,
  ClientProfiles,
  CommandTarget,
  ConnectRequest,
  CopiedText,
  CopyTarget,
  HistoryStore,
  InspectorHost,
  LinkedClient,
  LinkObserver,
  MessageRecord,
  RecordObserver,
  Remembered,
  SeenMessage,
  ServerCode,
  ServerLinks,
  TraceEvent,
  TraceSource,
} from "./support/host.ts";
