import type { HttpRequest } from "./exchange.ts";
import { headerMemo } from "./header-memo.ts";
import { HttpError } from "./http-error.ts";
import { acceptsBoth, isJsonType } from "./media-types.ts";

/** Checks the headers that describe the body of a request and of its response. */
export class ContentCheck {
  readonly #isJsonType = headerMemo(isJsonType);
  readonly #acceptsBoth = headerMemo(acceptsBoth);

  /** @throws {HttpError} unless the body is JSON and not compressed. */
  checkBody(request: HttpRequest): void {
    const type = request.header("content-type");
    if (type === undefined || !this.#isJsonType.get(type)) {
      throw new HttpError(415, "The Content-Type must be application/json.");
    }
    const encoding = request.header("content-encoding");
    if (encoding !== undefined && encoding !== "identity") {
      throw new HttpError(415, "The body must not have a Content-Encoding.");
    }
  }

  /** @throws {HttpError} unless the client accepts JSON and event streams. */
  checkAccept(request: HttpRequest): void {
    const accept = request.header("accept");
    if (accept === undefined || this.#acceptsBoth.get(accept)) return;
    throw new HttpError(406, "The Accept header must allow application/json and text/event-stream.");
  }
}
