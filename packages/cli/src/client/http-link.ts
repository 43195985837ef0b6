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
import { headersFor, type Message } from "./request-headers.ts";
import { nameOfUrl } from "./target.ts";

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

/** Explains a failed `fetch`. The reason is in the cause of its error. */
function explain(error: unknown, problem: string): string {
  const { cause, message } = error as Error;
  if (error instanceof CommandError) return message;
  const reason = cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : message;
  return `${problem}: ${reason}`;
}
