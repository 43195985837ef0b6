import { addMetrics, type HttpMetrics } from "../../server/metrics.ts";
import type { HttpEndpoint } from "./endpoint.ts";

/** Adds what is open at an endpoint to the metrics of its server, until the returned function is called. */
export function measureEndpoint(endpoint: HttpEndpoint): () => void {
  const read = (): HttpMetrics => {
    const { inFlight, sessions, streams } = endpoint;
    return { calls: inFlight.size, sessions: sessions?.size ?? 0, streams: streams.size };
  };
  return addMetrics(endpoint.server, "http", read, ["calls", "sessions", "streams"]);
}
