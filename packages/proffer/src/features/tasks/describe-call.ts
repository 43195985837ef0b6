import type { Call } from "../../calls/call.ts";
import { toBase64Url } from "../../support/bytes.ts";
import type { Tool } from "../../tools/define.ts";
import type { TaskCall, TaskHead } from "./record.ts";

/** The id may serve as a bearer token, so it cannot be guessed. It must fit into the header `Mcp-Name`. */
const ID_BYTES = 18;

export function newTaskId(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(ID_BYTES)));
}

/** What a task keeps of its call. */
export function describeCall(call: Call, tool: Tool): { readonly head: TaskHead; readonly source: TaskCall } {
  const { principal, transport } = call.origin;
  const given = (call.params.arguments ?? {}) as TaskCall["arguments"];
  return {
    head: { owner: principal?.id ?? null, tool: tool.name, given: Object.keys(given) },
    source: {
      arguments: given,
      chain: call.chain,
      revision: call.revision.version,
      transport,
      client: call.client.info,
      capabilities: call.client.capabilities,
      scopes: principal?.scopes,
    },
  };
}
