import type { Server } from "proffer";
import { connect, type TestClient } from "proffer/testing";

type Listed<Method extends "listTools" | "listPrompts" | "listResources" | "listTemplates"> = Awaited<
  ReturnType<TestClient[Method]>
>;

/** All that a server has for clients, as the newest revision lists it. */
export interface Offer {
  readonly tools: Listed<"listTools">;
  readonly prompts: Listed<"listPrompts">;
  readonly resources: Listed<"listResources">;
  readonly resourceTemplates: Listed<"listTemplates">;
}

/** Asks a server in this process for all its lists. */
export async function describeServer(server: Server): Promise<Offer> {
  const client = await connect(server);
  try {
    return await listOffer(client, {
      tools: server.tools.size > 0,
      prompts: server.prompts.size > 0,
      resources: server.resources.size > 0,
    });
  } finally {
    await client.close();
  }
}

/** Asks for the lists that the capabilities of a server announce. */
export async function listOffer(client: TestClient, has: { readonly [capability: string]: unknown }): Promise<Offer> {
  return {
    tools: has.tools ? await client.listTools() : [],
    prompts: has.prompts ? await client.listPrompts() : [],
    resources: has.resources ? await client.listResources() : [],
    resourceTemplates: has.resources ? await client.listTemplates() : [],
  };
}
