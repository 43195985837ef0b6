import type { IncomingMessage } from "node:http";
import { type Headers, JSON_REQUEST, readBody, request } from "./http-client.ts";

/** One server-sent event. */
export interface Event {
  readonly id?: string;
  readonly event?: string;
  readonly retry?: string;
  readonly data: string;
}

/** An open stream of server-sent events, parsed as the HTML standard says. */
export class EventClient {
  readonly response: IncomingMessage;
  readonly events: Event[] = [];
  comments = 0;
  /** Resolves when the server has ended the stream, or the connection has broken. */
  readonly ended: Promise<void>;
  readonly #receive: (event: Event) => void;
  #rest = "";
  #fields: { -readonly [Key in keyof Event]?: string } = {};
  #waiting: { test: (event: Event) => boolean; resolve: (event: Event) => void }[] = [];

  /** `receive` is called for each event as it arrives. */
  constructor(response: IncomingMessage, receive: (event: Event) => void = () => {}) {
    this.response = response;
    this.#receive = receive;
    response.setEncoding("utf8").on("data", (text: string) => this.#push(text));
    this.ended = new Promise((resolve) => {
      response.on("close", resolve);
    });
    response.on("error", () => {});
  }

  /** The messages received so far. */
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect messages of every shape
  get messages(): any[] {
    return this.events.filter(isMessage).map(({ data }) => JSON.parse(data));
  }

  /** Returns the first message that passes the test, whether it has arrived already or not. */
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect messages of every shape
  async message(test: (message: any) => boolean): Promise<any> {
    const { data } = await this.#find((event) => isMessage(event) && test(JSON.parse(event.data)));
    return JSON.parse(data);
  }

  close(): void {
    this.response.destroy();
  }

  #find(test: (event: Event) => boolean): Promise<Event> {
    const here = this.events.find(test);
    if (here !== undefined) return Promise.resolve(here);
    return new Promise((resolve) => this.#waiting.push({ test, resolve }));
  }

  #push(text: string): void {
    // A carriage return at the end may be the first half of a line end.
    const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#line(line);
  }

  #line(line: string): void {
    if (line === "") {
      this.#dispatch();
      return;
    }
    if (line.startsWith(":")) {
      this.comments++;
      return;
    }
    const colon = line.indexOf(":");
    const name = (colon < 0 ? line : line.slice(0, colon)) as keyof Event;
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data" && this.#fields.data !== undefined) this.#fields.data += `\n${value}`;
    else this.#fields[name] = value;
  }

  #dispatch(): void {
    const event = this.#fields as Event;
    this.#fields = {};
    if (event.data === undefined) return;
    this.events.push(event);
    this.#receive(event);
    for (const waiting of [...this.#waiting]) {
      if (!waiting.test(event)) continue;
      this.#waiting = this.#waiting.filter((each) => each !== waiting);
      waiting.resolve(event);
    }
  }
}

/** An event without data carries only an id to resume from. */
export function isMessage({ event, data }: Event): boolean {
  return event === "message" && data !== "";
}

/** Returns true if the response is a stream of events. */
export function isEventStream(response: IncomingMessage): boolean {
  return response.statusCode === 200 && response.headers["content-type"] === "text/event-stream";
}

/** Sends a request whose response must be a stream. */
export async function openEvents(
  url: string,
  options: { readonly headers?: Headers; readonly message?: unknown } = {},
): Promise<EventClient> {
  const { headers, message } = options;
  const response = await request(url, {
    method: message === undefined ? "GET" : "POST",
    headers: { ...JSON_REQUEST, ...headers },
    body: message === undefined ? undefined : JSON.stringify(message),
  });
  if (isEventStream(response)) return new EventClient(response);
  throw new Error(`no stream: ${response.statusCode} ${await readBody(response)}`);
}
