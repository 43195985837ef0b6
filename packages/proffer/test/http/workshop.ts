import { defineResource, defineServer, defineTool, field, type Server } from "proffer";

/** A server, and controls for its handlers. */
export interface Workshop {
  readonly server: Server;
  /** How often each tool was called. */
  readonly begun: Map<string, number>;
  /** Releases every waiting call. */
  release(): void;
  /** Resolves when a waiting call is aborted. */
  readonly stopped: Promise<void>;
}

/** Creates a server with a tool for each kind of call. */
export function openWorkshop(): Workshop {
  const begun = new Map<string, number>();
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  let stop: () => void = () => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const count = (name: string) => begun.set(name, (begun.get(name) ?? 0) + 1);
  const message = { type: "object", properties: { message: { type: "string" } }, required: ["message"] } as const;
  const server = defineServer({
    name: "workshop",
    version: "1.0.0",
    log: () => {},
    tools: [
      defineTool({ name: "echo", description: "Says it again.", input: message, handle: (input) => input.message }),
      defineTool({
        name: "wait",
        description: "Waits until the test lets it go.",
        async handle(_input, ctx) {
          count("wait");
          ctx.signal.addEventListener("abort", stop);
          await opened;
          return "done";
        },
      }),
      defineTool({
        name: "tell",
        description: "Tells of its progress, and waits until the test lets it go.",
        async handle(_input, ctx) {
          count("tell");
          ctx.signal.addEventListener("abort", stop);
          ctx.progress(1, 2);
          await opened;
          ctx.progress(2, 2);
          return "told";
        },
      }),
      defineTool({
        name: "region",
        description: "Has arguments that are repeated in headers.",
        input: {
          type: "object",
          properties: {
            region: { type: "string", "x-mcp-header": "Region" },
            level: { type: "integer", "x-mcp-header": "Level" },
            deep: { type: "object", properties: { flag: { type: "boolean", "x-mcp-header": "Flag" } } },
          },
        } as const,
        handle: (input) => JSON.stringify(input),
      }),
      defineTool({
        name: "ask",
        description: "Asks for a name.",
        async handle(_input, ctx) {
          const answer = await ctx.ask("Your name?", { name: field.text() });
          return answer.action === "accept" ? `Hello, ${answer.content.name}!` : answer.action;
        },
      }),
      defineTool({
        name: "detach",
        description: "Lets the connection go.",
        async handle(_input, ctx) {
          count("detach");
          ctx.detach();
          await opened;
          return "after all";
        },
      }),
      defineTool({
        name: "count",
        description: "Counts in the session.",
        handle(_input, ctx) {
          const next = Number(ctx.session?.get("count") ?? 0) + 1;
          ctx.session?.set("count", next);
          return String(next);
        },
      }),
      defineTool({
        name: "whoami",
        description: "Says who calls.",
        handle: (_input, ctx) => ctx.principal?.id ?? "nobody",
      }),
      defineTool({ name: "sampler", description: "Needs sampling.", requires: ["sampling"], handle: () => "sampled" }),
      defineTool({
        name: "broken",
        description: "Throws a secret.",
        handle() {
          throw new Error("password=hunter2");
        },
      }),
    ],
    resources: [
      defineResource({ uri: "shop://fixed", name: "Fixed", content: "x".repeat(20_000) }),
      defineResource({ uri: "shop://live", name: "Live", read: () => "live" }),
    ],
    prompts: [],
  });
  return { server, begun, release: open, stopped };
}
