import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline";
import type { Link } from "proffer/testing";

const LAUNCHER = join(dirname(createRequire(import.meta.url).resolve("proffer/package.json")), "dist/bin.js");
/** A key of its own, so that a server need not say that it has none. */
const KEYS = { PROFFER_KEYS: Buffer.alloc(32, 1).toString("base64") };
const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";

type Variables = { readonly [name: string]: string };

/** Starts `proffer serve` for a module, as it was built. */
export function startServe(module: string, flags: readonly string[] = [], variables: Variables = {}): ChildProcess {
  if (!existsSync(LAUNCHER)) throw new Error(`${LAUNCHER} is missing: run \`npm run build\` first.`);
  const env = { ...process.env, ...KEYS, ...variables };
  return spawn(process.execPath, [LAUNCHER, "serve", module, ...flags], { env, stdio: ["pipe", "pipe", "pipe"] });
}

/** Talks to a module over the pipes of a process, a message a line. */
export function overStdio(module: string, variables?: Variables): Link {
  return (receive) => {
    const child = startServe(module, [], variables);
    const exit = once(child, "exit");
    let said = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    // A process that is gone shows by its missing answers and its exit code.
    child.stdin?.on("error", () => undefined);
    if (child.stdout) createInterface(child.stdout).on("line", receive);
    return {
      send: (text) => void child.stdin?.write(`${text}\n`),
      async close() {
        child.stdin?.end();
        const [code] = await exit;
        if (code !== 0) throw new Error(`The process of ${module} ended with exit code ${code}:\n${said}`);
      },
    };
  };
}

/** A module that is served over HTTP by a process. */
export interface HttpProcess {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves a module over HTTP, on a port that is free. */
export async function serveOverHttp(module: string, variables?: Variables): Promise<HttpProcess> {
  const child = startServe(module, ["--http", "0"], variables);
  const exit = once(child, "exit");
  let said = "";
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const [, found] = /^Listening at (\S+)$/m.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    });
    void exit.then(() => reject(new Error(`${module} was not served:\n${said}`)));
  });
  return {
    url,
    async close() {
      child.kill("SIGTERM");
      await exit;
    },
  };
}

/** Talks to a server over HTTP, in a session where the revision has them. */
export function overHttp(url: string): Link {
  return (receive) => {
    const stop = new AbortController();
    let session: { readonly [name: string]: string } = {};
    let last: Promise<unknown> = Promise.resolve();

    /** Resolves with the head of the answer: a server that asks something waits for the next message. */
    async function post(text: string): Promise<void> {
      const headers = { ...headersFor(text), ...session };
      const response = await fetch(url, { method: "POST", headers, body: text, signal: stop.signal });
      const id = response.headers.get("mcp-session-id");
      if (id !== null) session = { "mcp-session-id": id };
      void deliver(response, receive).catch(() => undefined);
    }

    return {
      send(text) {
        last = last.then(() => post(text));
      },
      async close() {
        await last;
        stop.abort();
      },
    };
  };
}

async function deliver(response: Response, receive: (text: string) => void): Promise<void> {
  const type = response.headers.get("content-type") ?? "";
  if (type.startsWith("application/json")) receive(await response.text());
  if (!type.startsWith("text/event-stream") || response.body === null) return;
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data: ")) receive(line.slice("data: ".length));
  }
}

/** What the newest revision repeats in headers. */
function headersFor(text: string): { [name: string]: string } {
  const { method, params } = JSON.parse(text);
  const version = params?._meta?.[VERSION_KEY];
  const name = method === "resources/read" ? params?.uri : params?.name;
  return {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(version && { "mcp-protocol-version": version, "mcp-method": method }),
    ...(version && typeof name === "string" && { "mcp-name": encodeHeader(name) }),
  };
}

/** Headers hold visible ASCII; anything else travels as the protocol says. */
function encodeHeader(value: string): string {
  return /^[\x21-\x7e]*$/.test(value) ? value : `=?base64?${Buffer.from(value).toString("base64")}?=`;
}
