import { once } from "node:events";
import { request } from "node:http";
import { text } from "node:stream/consumers";

export interface RawRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: { readonly [name: string]: string | string[] };
  readonly body?: string;
  /** Announces a body and never sends it. */
  readonly withholdBody?: boolean;
}

export interface RawResponse {
  readonly status: number;
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  readonly body: string;
}

/** Sends a request with any `Host`, as no browser would, and reads the whole response. */
export async function send(port: number, options: RawRequest = {}): Promise<RawResponse> {
  const { method = "GET", path = "/", headers = {}, body, withholdBody = false } = options;
  const sent = request({ host: "127.0.0.1", port, method, path, headers, agent: false });
  if (withholdBody) sent.flushHeaders();
  else sent.end(body);
  // The server may end the connection before the body was sent.
  sent.on("error", () => {});
  const [response] = await once(sent, "response");
  const answer = { status: response.statusCode, headers: response.headers, body: await text(response) };
  sent.destroy();
  return answer;
}
