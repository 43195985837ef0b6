import { setTimeout as wait } from "node:timers/promises";
import type { Link } from "proffer/testing";
import { CommandError } from "../terminal/command-error.ts";
import { ByteBudget } from "./byte-budget.ts";
import { readEvents } from "./event-source.ts";
import { HeaderParams } from "./header-params.ts";
import type { Headers } from "./headers.ts";
import { DEFAULT_MAX_BYTES } from "./limits.ts";
import { PendingRequests } from "./pending-requests.ts";
import { followRedirects } from "./redirects.ts";
import { nameOfUrl } from "./target.ts";

type Message = {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly [key: string]: unknown };
};

const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
/** The parameter that the header `mcp-name` repeats, by method. */
const NAMED_BY: { readonly [method: string]: string } = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};
/** The time in milliseconds that a server has to accept the last messages and to end a session. */
const GRACE = 2000;

/**
 * Connects to a server over Streamable HTTP, with or without a session.
 * @param extra - headers of the user for every request.
 */
export function linkUrl(url: string, budget = new ByteBudget(DEFAULT_MAX_BYTES), extra: Headers = {}): Link {
  return (receive) => {
    const name = nameOfUrl(url);
    const params = new HeaderParams();
    const pending = new PendingRequests(name, (text) => {
      params.learn(JSON.parse(text));
      receive(text);
    });
    const stop = new AbortController();
    let session: string | undefined;
    let negotiated: string | undefined;
    /** Messages are sent in order, without waiting for the end of response streams. */
    let last: Promise<unknown> = Promise.resolve();

    async function post(message: Message, text: string): Promise<void> {
      const id = pending.sent(message);
      const fail = (reason: string) => (id === undefined ? undefined : pending.fail(id, reason));
      try {
        const headers = { ...extra, ...headersFor(message, params), ...sessionHeaders() };
        const response = await followRedirects(url, { method: "POST", headers, body: text, signal: stop.signal });
        session = response.headers.get("mcp-session-id") ?? session;
        if (message.method === "initialize") negotiated = message.params?.protocolVersion as string;
        void deliver(response, fail);
      } catch (error) {
        fail(explain(error, `${name} cannot be reached`));
      }
    }

    async function deliver(response: Response, fail: (reason: string) => void): Promise<void> {
      try {
        const type = response.headers.get("content-type") ?? "";
        const body = response.body ?? undefined;
        if (body && type.startsWith("text/event-stream")) {
          for await (const { data } of readEvents(budget.meter(body))) pending.received(data);
        } else if (body && type.startsWith("application/json")) pending.received(await readText(budget.meter(body)));
        else await body?.cancel();
        fail(`${name} responded with status ${response.status} ${response.statusText}.`);
      } catch (error) {
        fail(explain(error, `The response of ${name} was interrupted`));
      }
    }

    function sessionHeaders(): { [name: string]: string } {
      if (session === undefined && negotiated === undefined) return {};
      return {
        ...(session !== undefined && { "mcp-session-id": session }),
        ...(negotiated !== undefined && { "mcp-protocol-version": negotiated }),
      };
    }

    return {
      send(text) {
        const message: Message = JSON.parse(text);
        last = last.then(() => post(message, text));
      },
      async close() {
        // A request in flight has failed or is not needed anymore; the server may never respond to it.
        if (pending.isEmpty) await Promise.race([last, wait(GRACE, undefined, { ref: false })]);
        stop.abort();
        if (session === undefined) return;
        // A failure does not matter: the server drops idle sessions.
        const end = {
          method: "DELETE",
          headers: { ...extra, ...sessionHeaders() },
          signal: AbortSignal.timeout(GRACE),
        };
        await followRedirects(url, end)
          .then((response) => response.body?.cancel())
          .catch(() => undefined);
      },
    };
  };
}

async function readText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return new TextDecoder().decode(Buffer.concat(parts));
}

function headersFor({ method, params }: Message, headerParams: HeaderParams): { [name: string]: string } {
  const headers: { [name: string]: string } = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const version = (params?._meta as { [key: string]: unknown } | undefined)?.[VERSION_KEY];
  if (typeof version !== "string" || method === undefined) return headers;
  headers["mcp-protocol-version"] = version;
  headers["mcp-method"] = method;
  const name = params?.[NAMED_BY[method] ?? ""];
  if (typeof name === "string") headers["mcp-name"] = encodeHeader(name);
  if (method !== "tools/call") return headers;
  for (const [header, value] of Object.entries(headerParams.headersFor(name, params?.arguments))) {
    headers[header] = encodeHeader(value);
  }
  return headers;
}

/** Encodes a value that is not visible ASCII, as the specification defines for headers. */
function encodeHeader(value: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith("=?base64?")) return value;
  return `=?base64?${Buffer.from(value).toString("base64")}?=`;
}

/** Explains a failed `fetch`. The reason is in the cause of its error. */
function explain(error: unknown, problem: string): string {
  const { cause, message } = error as Error;
  if (error instanceof CommandError) return message;
  const reason = cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : message;
  return `${problem}: ${reason}`;
}
