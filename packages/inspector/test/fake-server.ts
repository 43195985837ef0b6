import { EventStreams } from "../src/event-streams.ts";
import type { InspectorEvent } from "../src/protocol/api.ts";
import { type Handlers as AllHandlers, createRoutes } from "../src/routes.ts";
import { startServer } from "../src/server.ts";
import { ApiProblem } from "../src/support/api-problem.ts";

/** Some of the handlers; a test may change them. */
export type Handlers = { -readonly [Name in keyof AllHandlers]?: AllHandlers[Name] };

export interface FakeServer {
  readonly origin: string;
  /** The address with the secret. */
  readonly url: string;
  /** The address of a part of the page, with the secret. */
  at(path: string): string;
  /** The first events of a new stream; a test may change them. */
  known: InspectorEvent[];
  readonly handlers: Handlers;
  /** The names and bodies of the requests so far. */
  readonly requests: { readonly name: string; readonly body: unknown }[];
  emit(...events: InspectorEvent[]): void;
  /** Ends all streams, as if the process had ended. */
  interrupt(): void;
  close(): Promise<void>;
}

/**
 * The inspector's own HTTP server and its checks of requests, with events and answers that a test chooses: a broken edit or
 * 10,000 messages would take long to cause with a real target.
 */
export async function startFakeServer(known: InspectorEvent[], handlers: Handlers = {}): Promise<FakeServer> {
  const streams = new EventStreams();
  const requests: { name: string; body: unknown }[] = [];
  const respond = (name: string, body: unknown) => {
    requests.push({ name, body });
    return createRoutes(handlers)(name, body).catch((error) => {
      throw error instanceof ApiProblem ? error : new ApiProblem(400, "refused", (error as Error).message);
    });
  };
  const server = await startServer({ respond, stream: (response) => streams.open(response, fake.known) }, 0);
  const { origin, hash } = new URL(server.url);
  const fake: FakeServer = {
    origin,
    url: server.url,
    at: (path) => `${origin}${path}${hash}`,
    known,
    handlers,
    requests,
    emit(...events) {
      for (const event of events) streams.send(event);
    },
    interrupt: () => streams.close(),
    async close() {
      streams.close();
      await server.close();
    },
  };
  return fake;
}
