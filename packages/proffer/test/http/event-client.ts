import http, { type IncomingMessage } from "node:http";
import { type Headers, present } from "./http-client.ts";

/** One server-sent event. */
export interface Event {
  readonly id?: string;
  readonly event?: string;
  readonly retry?: string;
  readonly data: string;
}

/** An open stream of events, read as a strict parser of the HTML standard does. */
export class EventClient {
  readonly response: IncomingMessage;
  readonly events: Event[] = [];
  comments = 0;
  /** Resolves when the server has ended the stream, or it broke. */
  readonly ended: Promise<void>;
  #rest = "";
  #fields: { -readonly [Key in keyof Event]?: string } = {};
  #waiting: { test: (event: Event) => boolean; resolve: (event: Event) => void }[] = [];

  constructor(response: IncomingMessage) {
    this.response = response;
    response.setEncoding("utf8").on("data", (text: string) => this.#push(text));
    this.ended = new Promise((resolve) => {
      response.on("close", resolve);
    });
    response.on("error", () => {});
  }

  /** The messages in the events so far. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape
  get messages(): any[] {
    return this.events.filter(isMessage).map(({ data }) => JSON.parse(data));
  }

  /** The first event, of those that came or will come, whose message passes the test. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into messages of every shape
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
    const lines = (this.#rest + text).split(/\r\n|\r|\n/);
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
    for (const waiting of [...this.#waiting]) {
      if (!waiting.test(event)) continue;
      this.#waiting = this.#waiting.filter((each) => each !== waiting);
      waiting.resolve(event);
    }
  }
}

function isMessage({ event, data }: Event): boolean {
  return event === "message" && data !== "";
}

/** Sends a request whose answer must be a stream. */
export function openEvents(
  url: string,
  options: { readonly headers?: Headers; readonly message?: unknown } = {},
): Promise<EventClient> {
  const { headers = {}, message } = options;
  const method = message === undefined ? "GET" : "POST";
  const all = { accept: "application/json, text/event-stream", "content-type": "application/json", ...headers };
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method, headers: present(all) }, (response) => {
      if (response.statusCode === 200 && response.headers["content-type"] === "text/event-stream") {
        resolve(new EventClient(response));
        return;
      }
      let body = "";
      response.setEncoding("utf8").on("data", (text: string) => {
        body += text;
      });
      response.on("end", () => reject(new Error(`no stream: ${response.statusCode} ${body}`)));
    });
    request.on("error", reject);
    request.end(message === undefined ? undefined : JSON.stringify(message));
  });
}
