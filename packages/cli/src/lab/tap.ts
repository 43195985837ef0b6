import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer, type Socket } from "node:net";
import type { Headers } from "proffer/client";
import { createLanes, type Lanes, recordClients } from "../recordings/lanes.ts";
import type { WireRecord } from "../recordings/record.ts";
import { createLineReader, recordRelay } from "../recordings/relayed.ts";
import { currentShell } from "../terminal/shell.ts";

/** Milliseconds that a server has to end after its stdin is closed. */
const GRACE = 1000;
const MAX_OUTPUT = 16 * 1024;
const MAX_BODY = 64 * 1024 * 1024;

/** Starts a command for each connection to a socket, and records the messages. It has the environment of the caller. */
export async function tapCommand([command = "", ...args]: readonly string[], record: WireRecord, path: string) {
  let output = "";
  const running = new Map<ReturnType<typeof spawn>, Socket>();
  const server = createServer((socket) => {
    const recorder = recordRelay(record);
    const { cwd, env } = currentShell();
    // A group of its own, so that what it has started ends with it.
    const child = spawn(command, args, { cwd, env, stdio: "pipe", detached: true });
    running.set(child, socket);
    socket.on("data", (chunk: Buffer) => recorder.sent(chunk));
    child.stdout.on("data", (chunk: Buffer) => recorder.received(chunk));
    socket.pipe(child.stdin).on("error", () => {});
    child.stdout.pipe(socket).on("error", () => {});
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output = `${output}${text}`.slice(-MAX_OUTPUT);
    });
    child.on("error", ({ message }) => {
      output += `${message}\n`;
      socket.destroy();
    });
    child.on("close", () => {
      running.delete(child);
      recorder.end();
      socket.destroy();
    });
  });
  await once(server.listen(path), "listening");
  return {
    output: () => output,
    async close(): Promise<void> {
      server.close();
      await Promise.all([...running].map(([child, socket]) => endServer(child, socket)));
    },
  };
}

async function endServer(child: ReturnType<typeof spawn>, socket: Socket): Promise<void> {
  const closed = new Promise((resolve) => child.once("close", resolve));
  child.stdin?.end();
  const timer = setTimeout(() => kill(child.pid), GRACE);
  await closed;
  clearTimeout(timer);
  socket.destroy();
}

function kill(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // All have ended.
  }
}

/** Passes the requests of a client on to a URL, with more headers that the client does not see, and records the messages. */
export async function tapUrl(url: string, headers: Headers, record: WireRecord, listen: object) {
  const lanes = createLanes(recordClients(record));
  const controller = new AbortController();
  let output = "";
  const server = createHttpServer((request, response) => {
    // Servers may tell where they let clients sign in, which these clients could not reach.
    if (new URL(request.url ?? "", url).pathname !== new URL(url).pathname) return void response.writeHead(404).end();
    forward(request, response).catch((error: Error) => {
      output += `${String((error.cause as Error | undefined)?.message ?? error.message)}\n`;
      if (!response.headersSent) response.writeHead(502);
      response.end();
    });
  });
  await once(server.listen(listen), "listening");
  const address = server.address();

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) {
      if (chunks.push(chunk) && chunks.reduce((sum, { length }) => sum + length, 0) > MAX_BODY)
        throw new Error(`a message of more than ${MAX_BODY} bytes`);
    }
    const body = Buffer.concat(chunks);
    const method = request.method ?? "GET";
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const answer = await fetch(url, {
      method,
      headers: { ...passedOn(Object.entries(request.headers)), ...headers },
      ...(body.length > 0 && { body }),
      redirect: "manual",
      signal: AbortSignal.any([controller.signal, gone.signal]),
    });
    const lane = laneOf(lanes, request, answer, body.toString());
    if (body.length > 0) lanes.received(lane, body.toString());
    response.writeHead(answer.status, passedOn([...answer.headers]));
    const isStream = answer.headers.get("content-type")?.startsWith("text/event-stream") === true;
    const lines = createLineReader(({ bytes }) => {
      const text = bytes.toString();
      const data = isStream ? /^data: ?(\{.*)/.exec(text)?.[1] : text;
      if (data?.trim()) lanes.sent(lane, data);
    });
    for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
      response.write(chunk);
      lines.add(Buffer.from(chunk));
    }
    lines.end();
    response.end();
  }

  return {
    port: typeof address === "object" ? address?.port : undefined,
    output: () => output,
    async close(): Promise<void> {
      controller.abort();
      server.closeAllConnections();
      server.close();
    },
  };
}

const SESSION = "mcp-session-id";
/** They describe one connection. Bodies are passed on as text. */
const OF_CONNECTION = ["host", "connection", "keep-alive", "transfer-encoding", "content-length", "content-encoding"];
const DROPPED = new Set([...OF_CONNECTION, "accept-encoding", "expect", "upgrade"]);

function passedOn(headers: readonly (readonly [string, string | string[] | undefined])[]): Record<string, string> {
  return Object.fromEntries(
    headers.filter(([name]) => !DROPPED.has(name)).map(([name, value]) => [name, String(value)]),
  );
}

/** Each session has its own lane, and so has each client that has no sessions. */
function laneOf(lanes: Lanes, { headers }: IncomingMessage, answer: Response, text: string) {
  const session = answer.headers.get(SESSION) ?? headers[SESSION];
  const [, name = ""] = /"clientInfo":\{[^}]*"name":"([^"]*)"/.exec(text) ?? [];
  return lanes.find(session === undefined ? `client ${name}` : `session ${session}`, "http");
}
