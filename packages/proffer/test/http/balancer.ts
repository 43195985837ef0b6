import http, { type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { readBody } from "./http-client.ts";

/** A request that the balancer has sent to a node. */
export interface Routed {
  readonly method: string;
  readonly node: number;
}

/** Distributes requests over nodes by turns, as a balancer without sticky routing does. */
export class Balancer {
  /** Every request, in the order of arrival. */
  readonly routed: Routed[] = [];
  /** Chooses the node of a request; undefined: the next one by turns. */
  route: (request: IncomingMessage) => number | undefined = () => undefined;
  readonly #targets: readonly URL[];
  readonly #cut = new Set<number>();
  readonly #open = new Map<ServerResponse, number>();
  readonly #server = http.createServer((request, response) => void this.#handle(request, response));
  #turn = 0;

  private constructor(targets: readonly string[]) {
    this.#targets = targets.map((target) => new URL(target));
  }

  /** Opens a balancer on a free port, or on the given one. */
  static async open(targets: readonly string[], port = 0): Promise<Balancer> {
    const balancer = new Balancer(targets);
    await new Promise<void>((resolve) => balancer.#server.listen(port, "127.0.0.1", resolve));
    return balancer;
  }

  /** The address of the first node's path, through the balancer. */
  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}${this.#targets[0]?.pathname ?? "/"}`;
  }

  /** Breaks the connections to a node and those of later requests; by turns, none goes there. */
  cut(node: number): void {
    this.#cut.add(node);
    for (const [response, open] of this.#open) if (open === node) response.destroy();
  }

  /** Sends requests to the node again. */
  restore(node: number): void {
    this.#cut.delete(node);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request).catch(() => undefined);
    if (body !== undefined) this.#forward(request, response, body, this.#targets.length);
  }

  #forward(request: IncomingMessage, response: ServerResponse, body: string, attempts: number): void {
    const node = this.route(request) ?? this.#next();
    const { method = "GET", headers } = request;
    this.routed.push({ method, node });
    if (this.#cut.has(node)) {
      response.destroy();
      return;
    }
    this.#open.set(response, node);
    const { port } = this.#targets[node] as URL;
    const forwarded = http.request({ port, host: "127.0.0.1", method, path: request.url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers).flushHeaders();
      answer.pipe(response).on("close", () => forwarded.destroy());
      answer.on("error", () => response.destroy());
    });
    response.on("close", () => {
      this.#open.delete(response);
      forwarded.destroy();
    });
    forwarded.on("error", (error: NodeJS.ErrnoException) => {
      // Nothing was sent, so another node can have the request.
      if (error.code === "ECONNREFUSED" && attempts > 1) this.#forward(request, response, body, attempts - 1);
      else response.destroy();
    });
    forwarded.end(body);
  }

  #next(): number {
    do this.#turn = (this.#turn + 1) % this.#targets.length;
    while (this.#cut.has(this.#turn) && this.#cut.size < this.#targets.length);
    return this.#turn;
  }
}
