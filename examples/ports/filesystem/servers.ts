import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { type CallToolResult, ListRootsRequestSchema, type Tool } from "@modelcontextprotocol/sdk/types.js";

/** A server in another process, used through the official client. */
export interface Started {
  tools(): Promise<Tool[]>;
  /** The result of a call; "refused" for arguments that the server does not accept. */
  call(name: string, args: Record<string, unknown>): Promise<CallToolResult | "refused">;
  close(): Promise<void>;
}

const require = createRequire(import.meta.url);
const ORIGINAL = [require.resolve("@modelcontextprotocol/server-filesystem/dist/index.js")];
const PROFFER = fileURLToPath(new URL("../../../packages/proffer/dist/bin.js", import.meta.url));
const PORT = [PROFFER, "serve", fileURLToPath(new URL("./server.ts", import.meta.url)), "--"];
/** Allows for a busy machine. */
const PATIENT = { timeout: 600_000 };

export function startOriginal(folder: string, root?: string): Promise<Started> {
  return start([...ORIGINAL, folder], root);
}

export function startPort(folder: string, root?: string): Promise<Started> {
  return start([...PORT, folder], root);
}

/** @param root - the folder that the client announces, if it does. */
async function start(args: readonly string[], root: string | undefined): Promise<Started> {
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { capabilities: root === undefined ? {} : { roots: {} } },
  );
  if (root !== undefined) {
    client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: pathToFileURL(root).href }] }));
  }
  const transport = new StdioClientTransport({ command: process.execPath, args: [...args], stderr: "ignore" });
  await client.connect(transport, PATIENT);
  return {
    tools: async () => (await client.listTools({}, PATIENT)).tools,
    async call(name, given) {
      const result = (await client.callTool({ name, arguments: given }, undefined, PATIENT)) as CallToolResult;
      return isRefusal(result) ? "refused" : result;
    },
    close: () => client.close(),
  };
}

/** Both report invalid arguments to the model, each in its own words. */
function isRefusal({ isError, content: [first] }: CallToolResult): boolean {
  return isError === true && first?.type === "text" && /validation error|Invalid arguments/i.test(first.text);
}
