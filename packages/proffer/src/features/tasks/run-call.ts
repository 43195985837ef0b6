import { Call, type CallOrigin } from "../../calls/call.ts";
import { META } from "../../calls/envelope.ts";
import type { RecordFields } from "../../nodes/store.ts";
import { type JsonObject, toText, type Wire } from "../../protocol/messages.ts";
import type { ReplayLog } from "../../questions/replay-log.ts";
import type { ServerState } from "../../server/server.ts";
import type { Tool } from "../../tools/define.ts";
import type { TaskCall, TaskHead } from "./record.ts";

const SERVER_INFO = "io.modelcontextprotocol/serverInfo";

/** What a run begins with. */
export interface RunStart {
  readonly id: string;
  readonly fields: RecordFields;
  readonly head: TaskHead;
  readonly source: TaskCall;
  readonly log: ReplayLog;
  readonly tool: Tool;
  /** The metadata of the request, while it is not answered. */
  readonly meta?: JsonObject;
}

/** The result in a response, without the members that every response of the server has. */
export function resultOf(wire: Wire): JsonObject {
  const { result } = JSON.parse(toText(wire)) as { result: JsonObject };
  const { _meta, ...rest } = result;
  const { [SERVER_INFO]: _, ...meta } = (_meta ?? {}) as JsonObject;
  return Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta };
}

/** The call of a run, as if the client had sent it again. */
export function createCall(server: ServerState, origin: CallOrigin, { head, source, fields, meta }: RunStart): Call {
  const revision = server.revisions.get(source.revision);
  if (revision === undefined) throw new Error(`the revision ${source.revision} is unknown`);
  const _meta = meta ?? {
    [META.protocolVersion]: source.revision,
    [META.clientCapabilities]: source.capabilities,
    ...(source.client === undefined ? {} : { [META.clientInfo]: source.client }),
  };
  const params = { name: head.tool, arguments: source.arguments, _meta };
  const call = new Call(server, origin, revision, {
    jsonrpc: "2.0",
    id: Number(fields.epoch),
    method: "tools/call",
    params,
  });
  call.chain = source.chain;
  return call;
}
