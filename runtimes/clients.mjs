import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as OldHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const INFO = { name: "runtimes", version: "1.0.0" };
const PATIENT = { timeout: 120_000 };
const NEWEST = "2026-07-28";

/** Calls the tool with the official client of each generation: the newest revision, and the last one with sessions. */
export async function checkStdio(command, args, cwd) {
  const launch = { command, args, cwd, stderr: "pipe" };
  await check(new Client(INFO, { versionNegotiation: { mode: { pin: NEWEST } } }), new StdioClientTransport(launch));
  await check(new OldClient(INFO), new OldStdio(launch));
}

export async function checkUrl(url) {
  const address = new URL(url);
  const pinned = { versionNegotiation: { mode: { pin: NEWEST } } };
  await check(new Client(INFO, pinned), new StreamableHTTPClientTransport(address));
  await check(new OldClient(INFO), new OldHttp(address));
}

async function check(client, transport) {
  // Otherwise the reason why a server does not start would be lost.
  let printed = "";
  transport.stderr?.on("data", (data) => {
    printed = `${printed}${data}`.slice(-2_000);
  });
  try {
    await client.connect(transport, PATIENT);
    const { tools } = await client.listTools(undefined, PATIENT);
    if (tools[0]?.name !== "later") throw new Error(`unexpected tools: ${JSON.stringify(tools)}`);
    const call = { name: "later", arguments: { from: "2024-02-28T00:00:00Z" } };
    const { content } = await client.callTool(call, ...(client instanceof OldClient ? [undefined] : []), PATIENT);
    expectDate(content[0]?.text);
  } catch (error) {
    throw printed === "" ? error : new Error(`${error.message}\n${printed}`, { cause: error });
  } finally {
    await client.close();
  }
}

/** @throws if a text is not the result of the tool, once or twice. */
export function expectDate(text = "") {
  if (/^("?2024-02-29T00:00:00(\.000)?Z"?\s*){1,2}$/.test(text)) return;
  throw new Error(`unexpected output: ${text.slice(0, 500)}`);
}
