import type { HttpFeature } from "../../transports/http/legacy-session.ts";
import { ClusterSessions } from "./sessions.ts";
import { SseRelay } from "./sse-relay.ts";

export const createSessions: HttpFeature["createSessions"] = (endpoint) => new ClusterSessions(endpoint);

export const createRelay: HttpFeature["createRelay"] = (endpoint, receive) => new SseRelay(endpoint, receive);
