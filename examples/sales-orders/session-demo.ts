import { type Context, defineServer, defineTool, type Server, type Session, ToolError } from "proffer";

/** The session demo of the ABAP server SDK: a separate sum for each client. */
export function defineSessionDemo(): Server {
  return defineServer({
    name: "Session Demo MCP Server",
    version: "1.0.0",
    instructions: "Keeps a value for each session. Revisions without sessions can do nothing with it.",
    tools: [increment, sessionDetails],
  });
}

const increment = defineTool({
  name: "increment_example",
  description: "Adds to the value of the session.",
  input: {
    type: "object",
    properties: { increment: { type: "integer", minimum: 1, maximum: 1_000_000, description: "How much to add" } },
    required: ["increment"],
  },
  handle: ({ increment: by }, ctx) => {
    const session = sessionOf(ctx);
    const value = Number(session.get("value") ?? 0) + by;
    session.set("value", value);
    return `Incremented value: ${value}`;
  },
});

const sessionDetails = defineTool({
  name: "get_session_details",
  description: "Tells which session this is.",
  annotations: { readOnlyHint: true },
  handle: (_, ctx) => `Session ID: ${sessionOf(ctx).id}`,
});

function sessionOf({ session, client }: Context): Session {
  if (session !== undefined) return session;
  throw new ToolError(`Protocol revision ${client.revision} has no sessions; use 2025-11-25 or an older one.`);
}

export default defineSessionDemo();
