import { setImmediate as turn } from "node:timers/promises";
import { defineServer, defineTool, type Server, type ServerOptions, type ToolOptions } from "proffer";
import { connectMemory } from "../src/transports/memory.ts";

export type Handle = ToolOptions<undefined, undefined>["handle"];

/** A server with the single tool `t` and a silent log. */
export function serveTool(handle: Handle, options: Partial<ServerOptions> = {}): Server {
  const tools = [defineTool({ name: "t", handle })];
  return defineServer({ name: "s", version: "1", tools, log: () => {}, ...options });
}

export interface Answer {
  readonly id?: unknown;
  /** Of a request of the server. */
  readonly method?: string;
  readonly result?: object;
  readonly error?: { readonly code: number; readonly message: string };
}

/** Sends texts without a handshake. Returns the responses; later ones are appended to the same array. */
export async function exchange(texts: readonly string[], options = {}, handle: Handle = () => "done") {
  const answers: Answer[] = [];
  const { send } = connectMemory(serveTool(handle), (text) => answers.push(JSON.parse(text)), options);
  for (const text of texts) send(text);
  await turn();
  return { answers, send };
}

/** The text of a request; `params` is JSON. */
export function request(id: number, method: string, params = "{}"): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}`;
}

/** The text of a call of the tool. */
export function call(id: number): string {
  return request(id, "tools/call", '{"name":"t"}');
}
