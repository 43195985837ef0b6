import type { IncomingMessage } from "node:http";
import type { HttpHead } from "@proffer/inspector";
import { type HttpExchange, toText, type Watcher } from "proffer/derived";
import { type ClientLane, type ClientObserver, createLanes, introductionOf, type Lanes } from "./lanes.ts";

/** Creates a watcher that reports the messages of real clients to an observer. Its errors do not reach them. */
export function observeClients(observer: ClientObserver): Required<Pick<Watcher, "exchange" | "stdio">> {
  const lanes = createLanes({
    onClientMessage: (message) => contain(() => observer.onClientMessage(message)),
    onClientClosed: (conn) => contain(() => observer.onClientClosed?.(conn)),
  });
  return {
    exchange: (exchange) => watchExchange(exchange as HttpExchange, lanes),
    stdio(connection, output) {
      const lane = lanes.create("stdio");
      const { receive, abort } = connection;
      const { send } = output;
      connection.receive = (text) => {
        lanes.received(lane, text);
        receive.call(connection, text);
      };
      connection.abort = (reason) => {
        lanes.closed(lane);
        abort.call(connection, reason);
      };
      output.send = (wire) => {
        lanes.sent(lane, toText(wire));
        send.call(output, wire);
      };
    },
  };
}

function contain(work: () => void): void {
  try {
    work();
  } catch (error) {
    console.error("The inspector could not record a message:", error);
  }
}

const SESSION = "mcp-session-id";
/** The last segments of the paths of the HTTP+SSE transport of 2024-11-05. */
const STREAM = "/sse";
const MESSAGES = "/messages";
/** Characters of a user agent that distinguish clients. */
const MAX_AGENT = 200;

/** Reports the messages of one HTTP request and of its response. */
function watchExchange(exchange: HttpExchange, lanes: Lanes): void {
  const { read, send, open, write } = exchange;
  const isStream = exchange.method === "GET" && exchange.path.endsWith(STREAM);
  let lane: ClientLane | undefined = isStream ? lanes.create("sse") : undefined;
  /** The key of the session that the response opens. */
  let opened: string | undefined;
  const own = () => {
    lane ??= laneOf(exchange, lanes);
    return lane;
  };
  /** The response to `initialize` names the session. */
  const rememberSession = () => {
    const [, session] = pairs(exchange.extraHeaders ?? []).find(([name]) => name.toLowerCase() === SESSION) ?? [];
    if (lane !== undefined && session !== undefined) lanes.remember(session, lane);
  };
  /** The head of the response, for its first message. */
  let head: HttpHead | undefined;

  exchange.read = (receiver) =>
    read.call(exchange, {
      maxMessageBytes: receiver.maxMessageBytes,
      received(passed, text) {
        lane ??= laneOf(exchange, lanes, text);
        lanes.received(lane, text, { method: exchange.method, requestHeaders: requestHeaders(exchange) });
        receiver.received(passed, text);
      },
    });
  exchange.send = (status, headers, body) => {
    rememberSession();
    if (body !== undefined) lanes.sent(own(), toText(body), responseHead(exchange, status, headers));
    if (exchange.method === "DELETE" && status === 204) lanes.closed(own(), exchange.header(SESSION));
    send.call(exchange, status, headers, body);
  };
  exchange.open = (headers) => {
    rememberSession();
    head = responseHead(exchange, 200, headers);
    open.call(exchange, headers);
  };
  exchange.write = (wire) => {
    const { event, data, id } = readEvent(toText(wire));
    if (isStream && event === "endpoint") {
      opened = sessionIn(data.slice(data.indexOf("?") + 1));
      lanes.remember(opened, own());
    } else if (event === "message") {
      const http = { ...head, ...(id !== undefined && { eventId: id }) };
      lanes.sent(own(), data, Object.keys(http).length > 0 ? http : undefined);
      head = undefined;
    }
    return write.call(exchange, wire);
  };
  // The stream is the session.
  if (isStream) (exchange.raw as IncomingMessage).socket.once("close", () => lanes.closed(own(), opened));
}

/**
 * Finds the lane of a request: by the session that the server opened, or else by the client that it names. An invented
 * session has no separate lane.
 */
function laneOf(exchange: HttpExchange, lanes: Lanes, text = ""): ClientLane {
  const session = exchange.path.endsWith(MESSAGES) ? sessionIn(exchange.query) : exchange.header(SESSION);
  const known = session === undefined ? undefined : lanes.get(session);
  if (known !== undefined) return known;
  const { client, revision, isInitialize } = introductionOf(text);
  if (isInitialize) return lanes.create("http");
  const { name = exchange.header("user-agent")?.slice(0, MAX_AGENT) ?? "", version = "" } = client ?? {};
  return lanes.find(JSON.stringify([name, version, revision ?? ""]), "http");
}

function sessionIn(query: string): string {
  return new URLSearchParams(query).get("session") ?? "";
}

function requestHeaders({ raw }: HttpExchange): Record<string, string> {
  const { headers } = raw as IncomingMessage;
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]),
  );
}

function responseHead({ extraHeaders }: HttpExchange, status: number, headers: readonly string[]): HttpHead {
  return { status, responseHeaders: Object.fromEntries(pairs([...headers, ...(extraHeaders ?? [])])) };
}

function pairs(list: readonly string[]): [string, string][] {
  return Array.from({ length: list.length / 2 }, (_, at) => [list[2 * at] ?? "", list[2 * at + 1] ?? ""]);
}

/** Reads an event that Proffer wrote: a line for each field, and the data in the last one. */
function readEvent(text: string): { readonly event?: string; readonly id?: string; readonly data: string } {
  const [, event, id, data = ""] =
    /^(?:event: (\w+)\n)?(?:id: ([^\n]*)\n)?(?:retry: \d+\n)?data: (.*)\n\n$/s.exec(text) ?? [];
  return { ...(event !== undefined && { event }), ...(id !== undefined && { id }), data };
}
