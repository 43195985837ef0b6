import { connectLink } from "../../cli/src/inspect/server-links.ts";
import type { ServerLinks } from "../src/support/host.ts";

type Params = { readonly name?: string };

/** Texts of responses, by the method: the result, or a whole message with `ID` for the id. */
export type Responses = { readonly [method: string]: (params: Params) => string };

/** Links to a server that nobody wrote with Proffer: it sends exactly these texts. */
export function openForeignLinks(responses: Responses, revision = "2026-07-28"): ServerLinks {
  return {
    transport: "stdio",
    clientInfo: { name: "test", version: "1" },
    revisions: [revision],
    supportsAll: true,
    spawns: false,
    changesCaller: false,
    connect: (request) =>
      connectLink(request, (observer) => (receive) => ({
        send(text) {
          observer.sent(text);
          const { id, method, params = {} } = JSON.parse(text);
          if (id === undefined) return;
          const error = '{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"no such method"}}';
          const body = responses[method]?.(params) ?? error;
          const message = (body.includes("ID") ? body : `{"jsonrpc":"2.0","id":ID,"result":${body}}`).replace("ID", id);
          queueMicrotask(() => {
            observer.received(message);
            receive(message);
          });
        },
        close() {},
      })),
  };
}
