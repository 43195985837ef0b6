import { definePrompt, defineResource, defineServer, defineTool, type Server, type ServerOptions } from "proffer";
import type { Choice } from "proffer/process";
import type { TestClient } from "proffer/testing";

const readOnly = { readOnlyHint: true } as const;

/** A shop with toolsets of every kind. */
export function openShop(options: Partial<ServerOptions> = {}): Server {
  return defineServer({
    name: "shop",
    version: "1.0.0",
    toolsets: {
      orders: ["order_*", "letter"],
      reports: { tools: ["report", "order_count"] },
      admin: { tools: ["order_purge"], default: false },
    },
    tools: [
      defineTool({ name: "order_get", annotations: readOnly, handle: () => "get" }),
      defineTool({ name: "order_set", was: ["order_write"], handle: () => "set" }),
      defineTool({ name: "order_count", annotations: readOnly, handle: () => "count" }),
      defineTool({ name: "order_purge", handle: () => "purge" }),
      defineTool({ name: "report", annotations: readOnly, handle: () => "report" }),
      defineTool({ name: "reset", toolset: "admin", annotations: { readOnlyHint: false }, handle: () => "reset" }),
      defineTool({ name: "hello", handle: () => "hello" }),
    ],
    prompts: [
      definePrompt({ name: "letter", arguments: { to: { complete: ["Ada"] } }, get: () => "letter" }),
      definePrompt({ name: "secret", toolset: "admin", arguments: { to: { complete: ["Eve"] } }, get: () => "secret" }),
      definePrompt({ name: "greet", get: () => "greet" }),
    ],
    resources: [
      defineResource({ uri: "shop://log", name: "log", toolset: "admin", content: "log" }),
      defineResource({ uri: "shop://orders/{id}", name: "order_file", complete: { id: ["7"] }, read: ({ id }) => id }),
      defineResource({ uri: "shop://terms", name: "terms", content: "terms" }),
    ],
    ...options,
  });
}

/** The names of a choice, as if they came from flags. */
export function chosen(choice: { toolsets?: string; only?: string; except?: string; readOnly?: boolean }): Choice {
  const { readOnly: isReadOnly = false, ...lists } = choice;
  const entries = Object.entries(lists).map(([flag, text]) => [flag, { names: text.split(","), origin: `--${flag}` }]);
  return { readOnly: isReadOnly, ...Object.fromEntries(entries) };
}

/** The names in all lists, separated by spaces. */
export async function listed(client: TestClient): Promise<string> {
  const lists = [
    await client.listTools(),
    await client.listPrompts(),
    await client.listTemplates(),
    await client.listResources(),
  ];
  return lists.flatMap((list) => list.map(({ name }) => name)).join(" ");
}
