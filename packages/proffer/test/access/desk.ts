import {
  definePrompt,
  defineResource,
  defineResourceGroup,
  defineServer,
  defineTool,
  field,
  type Principal,
  type Server,
  type ServerOptions,
} from "proffer";
import { type HttpRequest, unauthorized } from "proffer/http";
import type { Headers } from "../http/http-client.ts";

/** An order desk whose items need scopes. `runs` has the name of each call. */
export interface Desk {
  readonly server: Server;
  readonly runs: string[];
}

export function openDesk(options: Partial<ServerOptions> = {}): Desk {
  const runs: string[] = [];
  const ran = (what: string) => {
    runs.push(what);
    return what;
  };
  const server = defineServer({
    name: "desk",
    version: "1.0.0",
    tools: [
      defineTool({ name: "hours", handle: () => ran("hours") }),
      defineTool({ name: "find", scopes: ["orders:read"], handle: () => ran("find") }),
      defineTool({
        name: "cancel",
        scopes: ["orders:read", "orders:write"],
        paramScopes: { force: ["orders:admin"] },
        input: {
          type: "object",
          properties: { id: { type: "string" }, force: { type: "boolean", default: false } },
        },
        handle: () => ran("cancel"),
      }),
      defineTool({
        name: "confirm",
        scopes: ["orders:write"],
        singleUse: true,
        handle: async (_, ctx) => {
          const answer = await ctx.ask("Sure?", { sure: field.boolean() });
          return ran(`confirm ${answer.action}`);
        },
      }),
      defineTool({
        name: "refund",
        handle: (_, ctx) => {
          ctx.require("orders:refund");
          return ran("refund");
        },
      }),
    ],
    prompts: [
      definePrompt({
        name: "letter",
        scopes: ["letters"],
        paramScopes: { signature: ["letters:sign"] },
        arguments: { to: { complete: () => [ran("to")] }, signature: { complete: () => [ran("signature")] } },
        get: () => ran("letter"),
      }),
    ],
    resources: [
      defineResource({ uri: "desk://hours", name: "Hours", content: "9 to 5" }),
      defineResource({
        uri: "desk://orders/{id}{?raw}",
        name: "Order",
        scopes: ["orders:read"],
        paramScopes: { raw: ["orders:admin"] },
        complete: { id: () => [ran("id")] },
        read: ({ id }) => ran(`order ${id}`),
      }),
      defineResourceGroup({ uri: "secret://", scopes: ["secrets"] }, [
        defineResource({ uri: "secret://plan", name: "Plan", content: "the plan" }),
        defineResource({ uri: "secret://deep", name: "Deep", scopes: ["deep"], content: "deeper" }),
      ]),
    ],
    ...options,
  });
  return { server, runs };
}

/** The token is the caller's name and scopes: "ada orders:read orders:write". */
export function authenticate(request: HttpRequest): Principal | ReturnType<typeof unauthorized> {
  const token = request.header("authorization")?.slice("Bearer ".length);
  if (token === undefined) return unauthorized();
  const [id = "", ...scopes] = token.split(" ");
  return { id, scopes };
}

export function as(...token: string[]): Headers {
  return { authorization: `Bearer ${token.join(" ")}` };
}
