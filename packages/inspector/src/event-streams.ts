import type { ServerResponse } from "node:http";
import type { InspectorEvent } from "./protocol/api.ts";
import { ApiProblem } from "./support/api-problem.ts";

const MAX_STREAMS = 16;
/** A page that reads nothing, such as one in a suspended tab, is cut off. It connects again when it wakes up. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/** The streams of events to the open pages, as JSON Lines. */
export class EventStreams {
  readonly #streams = new Set<ServerResponse>();
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
    response.writeHead(200, { "content-type": "application/jsonl; charset=utf-8" });
    response.on("close", () => this.#streams.delete(response));
    response.on("error", () => this.#streams.delete(response));
    for (const event of known) write(response, this.#toLine(event));
    this.#streams.add(response);
  }

  /** Sends an event to every page. */
  send(event: InspectorEvent): void {
    if (this.#streams.size === 0) return;
    const line = this.#toLine(event);
    for (const response of this.#streams) write(response, line);
  }

  close(): void {
    for (const response of this.#streams) response.destroy();
    this.#streams.clear();
  }

  #toLine(event: InspectorEvent): string {
    return `${this.#clean(JSON.stringify(event))}\n`;
  }
}

function write(response: ServerResponse, line: string): void {
  if (response.destroyed) return;
  response.write(line);
  if (response.writableLength > MAX_WAITING_BYTES) response.destroy();
}
