import type { IncomingMessage, ServerResponse } from "node:http";
import { ApiProblem } from "./support/api-problem.ts";

const MAX_BYTES = 4 * 1024 * 1024;

/** Reads the JSON body of a request whose sender is known. @throws {ApiProblem} if it is too large or not JSON. */
export async function readBody(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
  const { "content-type": type = "", "content-length": length = "0" } = request.headers;
  if (!/^application\/json *(;|$)/i.test(type) || request.headers["content-encoding"] !== undefined) {
    throw new ApiProblem(415, "bad_request", "The body must have the content type application/json.");
  }
  if (Number(length) > MAX_BYTES) throw tooLarge();
  if (request.headers.expect !== undefined) response.writeContinue();
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return parse(Buffer.concat(chunks));
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch (error) {
    throw new ApiProblem(400, "bad_request", `The body is not valid JSON: ${(error as Error).message}`);
  }
}

function tooLarge(): ApiProblem {
  return new ApiProblem(413, "too_large", `The body has more than ${MAX_BYTES / 1024 / 1024} MiB.`);
}
