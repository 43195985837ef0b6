import type { Link } from "proffer/testing";
import { eventsOf } from "./event-source.ts";
import { MirroredArguments } from "./mirrored-arguments.ts";
import { Unanswered } from "./unanswered.ts";

type Message = {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly [key: string]: unknown };
};

const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
/** The parameter that a proxy may route by, for methods that have one. */
const NAMED_BY: { readonly [method: string]: string } = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
};

/** Talks to a server over Streamable HTTP, in both eras. */
export function linkUrl(url: string): Link {
  return (receive) => {
    const mirrored = new MirroredArguments();
    const unanswered = new Unanswered((text) => {
      mirrored.learn(JSON.parse(text));
      receive(text);
    });
    const stop = new AbortController();
    let session: string | undefined;
    let negotiated: string | undefined;
    /** Messages leave in order, but nobody waits for the end of a stream. */
    let last: Promise<unknown> = Promise.resolve();

    async function post(message: Message, text: string): Promise<void> {
      const id = unanswered.sent(message);
      const fail = (reason: string) => (id === undefined ? undefined : unanswered.fail(id, reason));
      try {
        const headers = { ...headersFor(message, mirrored), ...sessionHeaders() };
        const response = await fetch(url, { method: "POST", headers, body: text, signal: stop.signal });
        session = response.headers.get("mcp-session-id") ?? session;
        if (message.method === "initialize") negotiated = message.params?.protocolVersion as string;
        void deliver(response, fail);
      } catch (error) {
        fail(`${url} cannot be reached: ${reasonOf(error)}`);
      }
    }

    async function deliver(response: Response, fail: (reason: string) => void): Promise<void> {
      try {
        const type = response.headers.get("content-type") ?? "";
        if (type.startsWith("text/event-stream") && response.body) {
          for await (const data of eventsOf(response.body)) unanswered.received(data);
        } else if (type.startsWith("application/json")) unanswered.received(await response.text());
        fail(`${url} answered with status ${response.status} ${response.statusText}.`);
      } catch (error) {
        fail(`${url} broke off its answer: ${reasonOf(error)}`);
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
        await last;
        stop.abort();
        if (session === undefined) return;
        // The server forgets the session some day; not to tell it is no failure.
        await fetch(url, { method: "DELETE", headers: sessionHeaders() }).catch(() => undefined);
      },
    };
  };
}

function headersFor({ method, params }: Message, mirrored: MirroredArguments): { [name: string]: string } {
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
  for (const [header, value] of Object.entries(mirrored.headersFor(name, params?.arguments))) {
    headers[header] = encodeHeader(value);
  }
  return headers;
}

/** Headers carry visible ASCII only; anything else is written as the protocol says. */
function encodeHeader(value: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith("=?base64?")) return value;
  return `=?base64?${Buffer.from(value).toString("base64")}?=`;
}

/** `fetch` hides the reason in a cause. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  return cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : message;
}
