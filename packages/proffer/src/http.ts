export type { ReadinessCheck } from "./server/readiness.ts";
export { anyOf } from "./transports/http/any-of.ts";
export { type ApiKeysOptions, apiKeys } from "./transports/http/api-keys.ts";
export type { Metadata, ProtectedServer, Protection } from "./transports/http/authentication.ts";
export { type Challenge, forbidden, unauthorized } from "./transports/http/challenge.ts";
export type { HttpRequest } from "./transports/http/exchange.ts";
export type { GuardOptions } from "./transports/http/guard.ts";
export type { HttpError } from "./transports/http/http-error.ts";
export { createNodeHandler, type NodeHandler, type NodeHttpOptions } from "./transports/http/node/handler.ts";
export {
  DEFAULT_PORT,
  type HttpService,
  type MountedServer,
  type ServeOptions,
  serveHttp,
} from "./transports/http/node/server.ts";
export type { Authenticate, HttpOptions, RequestEntry } from "./transports/http/options.ts";
export type { SessionOptions } from "./transports/http/sessions.ts";
