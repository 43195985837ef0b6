import type { Server } from "proffer";
import { connect, type TestClient } from "proffer/testing";

type Listed<Method extends "listTools" | "listPrompts" | "listResources" | "listTemplates"> = Awaited<
  ReturnType<TestClient[Method]>
>;

/** The requests for the lists of a server. */
export type Lists = Pick<TestClient, "listTools" | "listPrompts" | "listResources" | "listTemplates">;

/** All lists of a server, in the format of the newest revision. */
export interface Listing {
  readonly tools: Listed<"listTools">;
  readonly prompts: Listed<"listPrompts">;
  readonly resources: Listed<"listResources">;
  readonly resourceTemplates: Listed<"listTemplates">;
}

/** Requests the non-empty lists of a server in this process. */
export async function listServer(server: Server): Promise<Listing> {
  // Lists do not need a database that `onStart` would connect to.
  const client = await connect(server, { start: false });
  try {
    // Resources may be tools, too: the server knows whether they are.
    const { capabilities } = await client.request("server/discover");
    return await listAll(client, capabilities as { readonly [name: string]: unknown });
  } finally {
    await client.close();
  }
}

/** Requests the lists that the server declares in its capabilities. */
export async function listAll(client: Lists, capabilities: { readonly [name: string]: unknown }): Promise<Listing> {
  return {
    tools: capabilities.tools ? await client.listTools() : [],
    prompts: capabilities.prompts ? await client.listPrompts() : [],
    resources: capabilities.resources ? await client.listResources() : [],
    resourceTemplates: capabilities.resources ? await client.listTemplates() : [],
  };
}
