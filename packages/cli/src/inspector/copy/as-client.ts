import type { Draft } from "../protocol/api.ts";
import type { Json } from "../protocol/json.ts";
import type { Copied, CopySource } from "./copy-source.ts";
import { toLiteral } from "./literal.ts";

const CALLS = { "tools/call": "callTool", "resources/read": "readResource", "prompts/get": "getPrompt" } as const;

/** Writes a program with the official client for TypeScript. */
export function asClient({ method, params }: Draft, source: CopySource): Copied {
  const { imports, transport } = transportOf(source);
  const text = `import { Client } from "@modelcontextprotocol/client";
${imports}

const client = new Client({ name: "my-client", version: "1.0.0" });
await client.connect(${transport});
console.log(await client.${CALLS[method]}(${toLiteral(params as Json)}));
await client.close();
`;
  return { text, language: "typescript" };
}

function transportOf({ target, url }: CopySource): { readonly imports: string; readonly transport: string } {
  const address = target.kind === "url" ? target.url : url;
  if (address !== undefined) {
    return {
      imports: 'import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client";',
      transport: `new StreamableHTTPClientTransport(new URL(${JSON.stringify(address)}))`,
    };
  }
  const [command = "", ...args] =
    target.kind === "command" ? target.command : ["npx", "proffer", "serve", "file" in target ? target.file : ""];
  return {
    imports: 'import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";',
    transport: `new StdioClientTransport(${toLiteral({ command, args })})`,
  };
}
