import { CommandError } from "../terminal/command-error.ts";
import { nameOfUrl } from "./target.ts";

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** The statuses that keep the method and the body. */
const KEEPS_BODY = new Set([307, 308]);

/**
 * Sends a request and follows redirects within the origin. The request contains arguments of tools, a session id and
 * headers that are meant for this server, so no redirect may send them to another one.
 * @throws {CommandError} for a redirect that is not followed.
 */
export async function followRedirects(url: string, init: RequestInit): Promise<Response> {
  let at = url;
  for (let count = 0; count <= MAX_REDIRECTS; count++) {
    const response = await fetch(at, { ...init, redirect: "manual" });
    const location = response.headers.get("location");
    if (!REDIRECTS.has(response.status) || location === null) return response;
    await response.body?.cancel();
    at = resolveRedirect(at, response.status, location);
  }
  throw new CommandError(`${nameOfUrl(url)} redirects more than ${MAX_REDIRECTS} times.`);
}

function resolveRedirect(from: string, status: number, location: string): string {
  const name = nameOfUrl(from);
  if (!URL.canParse(location, from)) throw new CommandError(`${name} redirects to an invalid URL.`);
  const to = new URL(location, from);
  if (to.origin !== new URL(from).origin) {
    throw new CommandError(
      `${name} redirects to ${nameOfUrl(to.href)}, another origin. ` +
        "Such a redirect is not followed, because it would send your arguments there. If you trust it, use its URL.",
    );
  }
  if (KEEPS_BODY.has(status)) return to.href;
  throw new CommandError(
    `${name} redirects with status ${status}, which drops the message. Use ${nameOfUrl(to.href)}.`,
  );
}
