import type { ServerResponse } from "node:http";
import type { InspectorEvent } from "./protocol/event.ts";
import { ApiProblem } from "./support/api-problem.ts";

const MAX_STREAMS = 16;
/** A page that reads nothing, such as one in a suspended tab, is cut off. It connects again when it wakes up. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/** One open stream: a page in a tab. */
interface Stream {
  readonly response: ServerResponse;
  /** Lines that the socket does not accept yet. */
  readonly waiting: string[];
  waitingBytes: number;
  blocked: boolean;
}

/** The streams of events to the open pages, as JSON Lines. */
export class EventStreams {
  readonly #streams = new Set<Stream>();
  readonly #clean: (line: string) => string;

  /** @param clean - hides secrets in a line. */
  constructor(clean: (line: string) => string = (line) => line) {
    this.#clean = clean;
  }

  get size(): number {
    return this.#streams.size;
  }

  /** Opens a stream that begins with everything that is known. @throws {ApiProblem} if there are too many. */
  open(response: ServerResponse, known: Iterable<InspectorEvent>): void {
    if (this.#streams.size >= MAX_STREAMS) {
      const message = `${MAX_STREAMS} pages are already connected.`;
      throw new ApiProblem(429, "too_many_pages", message, "Close a tab of the inspector, then load this one again.");
    }
    const stream: Stream = { response, waiting: [], waitingBytes: 0, blocked: false };
    response.writeHead(200, { "content-type": "application/jsonl; charset=utf-8" });
    response.on("drain", () => this.#resume(stream));
    response.on("close", () => this.#streams.delete(stream));
    response.on("error", () => this.#streams.delete(stream));
    for (const event of known) this.#write(stream, this.#toLine(event));
    this.#streams.add(stream);
  }

  /** Sends an event to every page. */
  send(event: InspectorEvent): void {
    if (this.#streams.size === 0) return;
    const line = this.#toLine(event);
    for (const stream of this.#streams) this.#write(stream, line);
  }

  close(): void {
    for (const { response } of this.#streams) response.destroy();
    this.#streams.clear();
  }

  #toLine(event: InspectorEvent): string {
    return `${this.#clean(JSON.stringify(event))}\n`;
  }

  #write(stream: Stream, line: string): void {
    if (!stream.blocked) {
      stream.blocked = !stream.response.write(line);
      return;
    }
    stream.waiting.push(line);
    stream.waitingBytes += line.length;
    if (stream.waitingBytes <= MAX_WAITING_BYTES) return;
    stream.waiting.length = 0;
    stream.response.destroy();
  }

  #resume(stream: Stream): void {
    stream.blocked = false;
    const lines = stream.waiting.splice(0);
    stream.waitingBytes = 0;
    for (const line of lines) this.#write(stream, line);
  }
}
