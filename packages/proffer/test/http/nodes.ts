import { type Cluster, defineResource, defineServer, defineTool, field, type Server } from "proffer";
import { type HttpService, type ServeOptions, serveHttp } from "proffer/http";

/** One key for all nodes. */
const KEYS = [Buffer.alloc(32, 7).toString("base64")];

/** The nodes of one server in this process. */
export interface Nodes {
  readonly servers: readonly Server[];
  readonly services: readonly HttpService[];
  readonly urls: readonly string[];
  /** How often each tool was called, on all nodes. */
  readonly begun: Map<string, number>;
  /** The tools whose calls were aborted. */
  readonly aborted: string[];
  /** Lets all waiting calls continue. */
  release(): void;
  close(): Promise<void>;
}

/** Serves one server on several nodes that share a cluster, or each through its own access to one. */
export async function openNodes(
  count: number,
  cluster: Cluster | Cluster[],
  options: ServeOptions = {},
): Promise<Nodes> {
  const begun = new Map<string, number>();
  const aborted: string[] = [];
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const accesses = Array.from(
    { length: count },
    (_, at) => (Array.isArray(cluster) ? cluster[at] : cluster) as Cluster,
  );
  const servers = accesses.map((access) => createServer(access, begun, aborted, released));
  const services = await Promise.all(servers.map((server) => serveHttp(server, { port: 0, ...options })));
  return {
    servers,
    services,
    urls: services.map(({ url }) => url),
    begun,
    aborted,
    release,
    close: async () => {
      release();
      await Promise.all(services.map((service) => service.close(0)));
    },
  };
}

const anything = { type: "object", properties: { key: { type: "string" }, value: {} }, required: ["key"] } as const;

function createServer(
  cluster: Cluster,
  begun: Map<string, number>,
  aborted: string[],
  released: Promise<void>,
): Server {
  const begin = (name: string, signal: AbortSignal) => {
    begun.set(name, (begun.get(name) ?? 0) + 1);
    signal.addEventListener("abort", () => aborted.push(name));
  };
  return defineServer({
    name: "spread",
    version: "1.0.0",
    log: () => {},
    errors: "message",
    keys: KEYS,
    cluster,
    tools: [
      defineTool({
        name: "count",
        handle(_, ctx) {
          const next = Number(ctx.session?.get("count") ?? 0) + 1;
          ctx.session?.set("count", next);
          return String(next);
        },
      }),
      defineTool({
        name: "get",
        input: anything,
        handle: ({ key }, ctx) => JSON.stringify(ctx.session?.get(key) ?? null),
      }),
      defineTool({ name: "set", input: anything, handle: ({ key, value }, ctx) => ctx.session?.set(key, value) }),
      defineTool({ name: "delete", input: anything, handle: ({ key }, ctx) => String(ctx.session?.delete(key)) }),
      defineTool({ name: "set_map", handle: (_, ctx) => ctx.session?.set("map", new Map()) }),
      defineTool({
        name: "set_slowly",
        input: anything,
        async handle({ key, value }, ctx) {
          begin("set_slowly", ctx.signal);
          ctx.session?.set(key, value);
          await released;
          return "set";
        },
      }),
      defineTool({
        name: "ask",
        async handle(_, ctx) {
          begin("ask", ctx.signal);
          const answer = await ctx.ask("Your name?", { name: field.text() });
          return answer.action === "accept" ? `Hello, ${answer.content.name}!` : answer.action;
        },
      }),
      defineTool({
        name: "wait",
        async handle(_, ctx) {
          begin("wait", ctx.signal);
          await released;
          return "waited";
        },
      }),
      defineTool({
        name: "tell",
        input: { type: "object", properties: { steps: { type: "integer" } } } as const,
        async handle({ steps = 2 }, ctx) {
          begin("tell", ctx.signal);
          for (let step = 1; step < steps; step++) ctx.progress(step, steps);
          await released;
          ctx.progress(steps, steps);
          return "told";
        },
      }),
      defineTool({
        name: "detach",
        async handle(_, ctx) {
          begin("detach", ctx.signal);
          ctx.detach();
          await released;
          return "after all";
        },
      }),
      defineTool({ name: "log", handle: (_, ctx) => ctx.log("debug", "a detail") }),
    ],
    resources: [
      defineResource({ uri: "shop://one", name: "One", read: () => "1" }),
      defineResource({ uri: "shop://items/{id}", name: "Item", read: ({ id }) => id }),
      defineResource({ uri: "shop://two", name: "Two", read: () => "2" }),
    ],
  });
}
