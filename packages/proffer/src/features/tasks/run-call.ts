import { Call, type CallOrigin } from "../../calls/call.ts";
import { META } from "../../calls/envelope.ts";
import type { RecordFields } from "../../nodes/ports.ts";
import type { JsonObject } from "../../protocol/messages.ts";
import type { ReplayLog } from "../../questions/replay-log.ts";
import type { ServerState } from "../../server/server.ts";
import type { Tool } from "../../tools/define.ts";
import type { TaskCall, TaskHead } from "./record.ts";

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

/** The result with the members that every result of its revision has; `serverInfo` is that of each response. */
export function completeResult({ server, revision }: Call, result: object): object {
  const { _meta, ...members } = server.envelopes.get(revision, undefined)?.value ?? {};
  return { ...members, ...result };
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
