import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Link } from "proffer/testing";

/** Makes one file of the server, so that Node can run it as a client would. */
export async function bundleServer(outfile: string): Promise<void> {
  await build({
    stdin: {
      contents: `import server from "./server.ts"; import { serveStdio } from "proffer/stdio"; await serveStdio(server);`,
      resolveDir: fileURLToPath(new URL(".", import.meta.url)),
    },
    bundle: true,
    format: "esm",
    platform: "node",
    outfile,
    logLevel: "error",
  });
}

/** Starts a bundled server as a process and talks to it over its pipes. */
export function overStdio(file: string, env: { readonly [name: string]: string }): Link {
  return (receive) => {
    const child = spawn(process.execPath, [file], {
      env: { ...process.env, ...env },
      stdio: ["pipe", "pipe", "inherit"],
    });
    createInterface(child.stdout).on("line", receive);
    return {
      send: (text) => void child.stdin.write(`${text}\n`),
      async close() {
        const exit = once(child, "exit");
        child.stdin.end();
        await exit;
      },
    };
  };
}

/** Talks to a server over HTTP, in a session where the revision has them. */
export function overHttp(url: string): Link {
  return (receive) => {
    let session: { readonly [name: string]: string } = {};
    let last: Promise<unknown> = Promise.resolve();
    async function post(text: string): Promise<void> {
      const response = await fetch(url, { method: "POST", headers: { ...headersFor(text), ...session }, body: text });
      const id = response.headers.get("mcp-session-id");
      if (id !== null) session = { "mcp-session-id": id };
      const body = await response.text();
      if (response.headers.get("content-type")?.startsWith("application/json")) receive(body);
      for (const [, data = ""] of body.matchAll(/^data: (.+)$/gm)) receive(data);
    }
    return {
      send(text) {
        last = last.then(() => post(text));
      },
      close: async () => void (await last),
    };
  };
}

/** What the newest revision repeats in headers; older servers pass over it. */
function headersFor(text: string): { [name: string]: string } {
  const { method, params } = JSON.parse(text);
  const version = params?._meta?.["io.modelcontextprotocol/protocolVersion"];
  return {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(version && { "mcp-protocol-version": version, "mcp-method": method }),
    ...(version && params.uri && { "mcp-name": encodeURI(params.uri) }),
  };
}
