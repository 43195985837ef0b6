import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

// The first run of `npm start` in a fresh clone: every line that it prints must work.

const root = fileURLToPath(new URL("../", import.meta.url));

let tour: ChildProcess;
let printed = "";
let urls: string[] = [];

function start(port: string): ChildProcess {
  const env = { ...process.env, PORT: port };
  const shell = process.platform === "win32";
  return spawn("npm", ["start", "--silent"], { cwd: root, env, shell, stdio: ["ignore", "pipe", "pipe"] });
}

/** Reads the output of a process until it contains the text, or ends. */
async function readUntil(stream: Readable, text: string): Promise<string> {
  let said = "";
  for await (const chunk of stream.setEncoding("utf8").iterator({ destroyOnReturn: false })) {
    said += chunk;
    if (said.includes(text)) break;
  }
  return said;
}

/** The printed lines with this beginning. */
function linesThatBegin(beginning: string): string[] {
  const lines = printed.split("\n").map((line) => line.trim());
  return lines.filter((line) => line.startsWith(beginning));
}

function runInShell(line: string) {
  return spawnSync("sh", ["-c", line], { cwd: root, encoding: "utf8", input: "", timeout: 600_000 });
}

beforeAll(async () => {
  tour = start("0");
  let complaints = "";
  tour.stderr?.setEncoding("utf8").on("data", (text: string) => {
    complaints += text;
  });
  printed = await readUntil(tour.stdout as Readable, "npm test");
  urls = printed.split("\n").flatMap((line) => /^ {2}(http:\S+) {2}/.exec(line)?.[1] ?? []);
  if (urls.length === 0) throw new Error(`npm start came to nothing:\n${complaints}`);
}, 300_000);

afterAll(() => tour.kill("SIGTERM"));

describe("npm start", () => {
  it("prints the URLs of the examples", () => {
    const paths = urls.map((url) => new URL(url).pathname);
    expect(paths).toEqual([
      "/mcp",
      "/birds",
      "/algocline",
      "/sales/orders",
      "/demo/stateless",
      "/demo/session",
      "/logtalk-tour",
      "/logtalk-tour/derived",
      "/report",
    ]);
  });

  it("serves an example at each URL", async () => {
    const names = await Promise.all(urls.map(nameOfServer));
    expect(names).toEqual([
      "quickstart",
      "birds-expert",
      "alc",
      "sales-orders",
      "Demo MCP Server",
      "Session Demo MCP Server",
      "my-server",
      "@proffer/example-logtalk-tour",
      "@proffer/example-report",
    ]);
  });

  it("prints commands that work when pasted", () => {
    const results = linesThatBegin("npx proffer").map((line) => {
      const { status, stdout, stderr } = runInShell(line);
      // The call of the birds expert needs a user to answer its questions.
      const isAnswered = line.includes("/birds") ? stderr.includes("elicitation") : status === 0 && stdout !== "";
      return isAnswered ? "works" : `${line}\n${stdout}${stderr}`;
    });
    expect(results).toEqual(Array(6).fill("works"));
  });

  it.skipIf(spawnSync("curl", ["--version"]).error)("prints a curl command that works", () => {
    const [line = ""] = linesThatBegin("curl");
    expect(JSON.parse(runInShell(line).stdout).result.content).toEqual([{ type: "text", text: "42" }]);
  });

  it("prints client configurations as JSON, with the URL of an existing server", () => {
    const shown = linesThatBegin("{").map((line) => JSON.parse(line));
    const found = shown.map(({ servers, mcpServers }) => (servers ?? mcpServers).birds.url);
    expect(found).toEqual([urls[1], urls[1]]);
  });

  it("stops together with its server on SIGTERM", async () => {
    tour.kill("SIGTERM");
    await once(tour, "exit");
    await expect.poll(() => fetch(urls[0] ?? "").catch(() => undefined), { interval: 100 }).toBeUndefined();
  });

  it("reports a port in use immediately, and how to choose another", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const address = taken.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const { code, said } = await outcomeOf(start(String(port)));
    taken.close();
    expect(code).toBe(1);
    expect(said).toMatch(new RegExp(`port ${port} is taken.*PORT=\\d+ npm start`));
  });
});

async function outcomeOf(child: ChildProcess): Promise<{ code: unknown; said: string }> {
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const [code] = await once(child, "close");
  return { code, said };
}

/** Asks a server for its name, as a client of 2026-07-28 does. */
async function nameOfServer(url: string): Promise<unknown> {
  const version = "2026-07-28";
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const headers = {
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    "mcp-protocol-version": version,
    "mcp-method": "server/discover",
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "server/discover", params: { _meta } });
  const response = await fetch(url, { method: "POST", headers, body });
  const { result } = (await response.json()) as { result: { _meta: Record<string, { name: string }> } };
  return result._meta["io.modelcontextprotocol/serverInfo"]?.name;
}
