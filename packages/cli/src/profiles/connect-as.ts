import type { CallResult, ProfileId, Server, Tool } from "proffer";
import {
  type CallArguments,
  type ClientOptions,
  type ConnectOptions,
  connect,
  type TestClient,
  type ToolCallResult,
} from "proffer/testing";
import { resultSeenBy, toolsSeenBy } from "./losses.ts";
import type { Profile } from "./profile.ts";
import { findProfile } from "./table.ts";

/**
 * Connects a client to a server in the same process, as `connect` of `proffer/testing` does, that acts as another one:
 * with its name, revision and capabilities. Lists and results have only the parts that its model sees.
 * @throws {UsageError} for an unknown client. @throws {Error} if `onStart` of the server fails.
 *
 * @example
 * const client = await connectAs(server, "codex");
 * const tools = await client.listTools(); // mcp__shop__add
 * await client.call("mcp__shop__add", { n: 1 });
 */
export async function connectAs(server: Server, id: ProfileId, options: ConnectOptions = {}): Promise<TestClient> {
  const profile = findProfile(id);
  const client = await connect(server, { ...identityOf(profile), ...capabilitiesOf(profile), ...options });
  const listTools = client.listTools.bind(client);
  const call = client.call.bind(client) as (tool: string, ...input: readonly unknown[]) => Promise<CallResult>;
  /** The names of the tools, by the names that the model sees. */
  const originals = new Map<string, string>();
  const none = async () => [];
  return Object.assign(client, {
    async listTools() {
      const tools = toolsSeenBy(profile, server.info.name, await listTools());
      return tools.map(({ original, ...tool }) => {
        originals.set(tool.name, original);
        return tool;
      });
    },
    /** Accepts the name that the model sees, after `listTools`. The content is the one that the model sees. */
    async call<Called extends string | Tool>(tool: Called, ...input: CallArguments<Called>) {
      const name = typeof tool === "string" ? (originals.get(tool) ?? tool) : tool.name;
      const result = await call(name, ...input);
      const { structuredContent: _, ...shown } = result;
      return { ...shown, content: resultSeenBy(profile, result, name) } as ToolCallResult<Called>;
    },
    ...(profile.resources?.value === false && { listResources: none, listTemplates: none }),
  });
}

/** Returns the name and the revision of a client. */
export function identityOf({ id, names: [name = id], revision }: Profile): Pick<ClientOptions, "info" | "revision"> {
  const info = { name: name.replace("*", ""), version: "1" };
  return { info, ...(revision !== undefined && { revision: revision.value }) };
}

function capabilitiesOf({ questions }: Profile): Pick<ClientOptions, "capabilities"> {
  if (questions === undefined) return {};
  const asked = new Set(questions.value);
  const elicitation = { ...(asked.has("form") && { form: {} }), ...(asked.has("url") && { url: {} }) };
  return {
    capabilities: {
      ...(Object.keys(elicitation).length > 0 && { elicitation }),
      ...(asked.has("sampling") && { sampling: {} }),
      ...(asked.has("roots") && { roots: {} }),
    },
  };
}
