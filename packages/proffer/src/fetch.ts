export type { ReadinessCheck, ReadinessName } from "./server/readiness.ts";
export { type Challenge, forbidden, unauthorized } from "./transports/http/challenge.ts";
export type { HeaderList, HttpRequest } from "./transports/http/exchange.ts";
export { createFetchHandler, type FetchHandler } from "./transports/http/fetch/handler.ts";
export type { GuardOptions } from "./transports/http/guard.ts";
export type { HttpError } from "./transports/http/http-error.ts";
export type { Authenticate, HttpOptions, RequestEntry } from "./transports/http/options.ts";
export type { Metadata, ProtectedServer, Protection } from "./transports/http/protection.ts";
export type { SessionOptions } from "./transports/http/sessions.ts";
