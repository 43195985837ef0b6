/**
 * The page that `proffer inspect` and `proffer dev --inspect` show. Internal: used by @proffer/cli. No stability promise.
 *
 * @internal
 * @module
 */

export { type Inspector, startInspector } from "./inspector.ts";
export type { Draft, InspectorFinding, ModelView, SourceView } from "./protocol/api.ts";
export type {
  Answer,
  CallMethod,
  CallState,
  Change,
  Edit,
  EditProblem,
  HttpHead,
  ItemKind,
  Json,
  JsonObject,
  Lane,
  Offer,
  Place,
  ServerInfo,
  Target,
  WireLine,
  WireMessage,
} from "./protocol/data.ts";
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
