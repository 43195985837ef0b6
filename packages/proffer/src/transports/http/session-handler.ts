import type { HttpEndpoint } from "./endpoint.ts";
import type { HttpExchange } from "./exchange.ts";
import { HttpError, NO_HEADERS, sendError } from "./http-error.ts";
import { accepts } from "./media-types.ts";
import { legacyRevision } from "./revision.ts";

/** Handles GET, which opens or resumes a stream of a session, and DELETE, which ends a session. */
export class SessionHandler {
  readonly #endpoint: HttpEndpoint;

  constructor(endpoint: HttpEndpoint) {
    this.#endpoint = endpoint;
  }

  get(exchange: HttpExchange): void {
    const { server, sessions } = this.#endpoint;
    const accept = exchange.header("accept");
    if (accept !== undefined && !accepts(accept, "text/event-stream")) {
      throw new HttpError(406, "The Accept header must allow text/event-stream.");
    }
    legacyRevision(exchange, server.revisions, undefined);
    const session = sessions?.require(exchange);
    this.#endpoint.checkStreams(session ?? exchange);
    const lastEventId = exchange.header("last-event-id");
    const opened = lastEventId === undefined ? session?.listen(exchange) : session?.resume(exchange, lastEventId);
    if (opened instanceof Promise) answerFailure(exchange, opened);
  }

  delete(exchange: HttpExchange): void {
    const { sessions } = this.#endpoint;
    const session = sessions?.require(exchange);
    const ended = session && sessions?.end(session);
    const confirm = () => exchange.send(204, NO_HEADERS);
    if (ended instanceof Promise) answerFailure(exchange, ended.then(confirm));
    else confirm();
  }
}

/** Answers with the error if the work on a request fails. */
export function answerFailure(exchange: HttpExchange, work: Promise<void>): void {
  work.catch((error) => {
    if (!(error instanceof HttpError)) throw error;
    sendError(exchange, error);
  });
}
