import { RemoteError } from "proffer/testing";
import type { Connections } from "../connections/connections.ts";
import type { Compared } from "../protocol/api.ts";
import type { JsonObject } from "../protocol/json.ts";
import { ApiProblem } from "../support/api-problem.ts";
import type { MessageRecord } from "../support/host.ts";

/** Only what the page can show side by side. */
const METHODS = new Set([
  ...["tools/call", "resources/read", "prompts/get"],
  ...["tools/list", "prompts/list", "resources/list", "resources/templates/list"],
]);
/** Milliseconds for each revision: nobody can cancel a comparison. */
const TIMEOUT = 120_000;

/** Sends a request on several revisions, one after the other, each with a client of its own. Questions are declined. */
export async function compare(
  connections: Connections,
  record: MessageRecord,
  method: string,
  params: JsonObject,
  revisions = connections.revisions,
): Promise<Compared[]> {
  if (!METHODS.has(method)) throw new ApiProblem(400, "bad_request", `"${method}" cannot be compared.`);
  const compared: Compared[] = [];
  for (const revision of new Set(revisions)) compared.push(await sendOn(connections, record, revision, method, params));
  return compared;
}

async function sendOn(
  connections: Connections,
  record: MessageRecord,
  revision: string,
  method: string,
  params: JsonObject,
): Promise<Compared> {
  const connected = await connections.open({ revision, purpose: "comparison" });
  let bytes = 0;
  const forget = record.observe({
    line(line) {
      if (line.conn === connected.conn && line.dir === "in" && line.method === method) bytes += line.bytes;
    },
  });
  const began = performance.now();
  const outcome = await connected.client
    .request(method, params, { signal: AbortSignal.timeout(TIMEOUT) })
    .then((result) => ({ result: record.mask.json(result as JsonObject) }), toError);
  const ms = performance.now() - began;
  forget();
  await connected.close();
  return { revision, ms, bytes, ...outcome };
}

function toError(error: Error): Pick<Compared, "error"> {
  return { error: { code: error instanceof RemoteError ? error.code : 0, message: error.message } };
}
