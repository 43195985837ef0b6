import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { ApiProblem } from "./support/api-problem.ts";

/** The names of this machine that the page may be opened with. */
const NAMES = ["127.0.0.1", "localhost", "[::1]"];
/** A page of another site, also one of another port of this machine, sends one of the other values. */
const OWN_SITES = new Set(["same-origin", "none"]);

/**
 * Refuses requests that do not come from the inspector's own page. Any web page can make a browser send requests to this
 * machine; with a name that resolves to it (DNS rebinding) it could read the responses. `Host`, `Origin` and
 * `Sec-Fetch-Site` reveal the first, the exact `Host` ends the second.
 */
export class Guard {
  readonly #hosts: ReadonlySet<string>;
  readonly #digest: Buffer;

  constructor(port: number, secret: string) {
    this.#hosts = new Set(NAMES.map((name) => `${name}:${port}`));
    this.#digest = digestOf(secret);
  }

  /** Why a request for any path is refused. */
  checkSource({ headersDistinct }: IncomingMessage): ApiProblem | undefined {
    const [host = "", ...otherHosts] = headersDistinct.host ?? [];
    if (otherHosts.length > 0 || !this.#hosts.has(host)) return foreign("Host");
    const { origin = [] } = headersDistinct;
    if (origin.some((each) => each !== `http://${host}`)) return foreign("Origin");
    const sites = headersDistinct["sec-fetch-site"] ?? [];
    return sites.every((site) => OWN_SITES.has(site)) ? undefined : foreign("Sec-Fetch-Site");
  }

  /** Why a request for the API is refused. To be called before the body is read. */
  checkSecret({ headers }: IncomingMessage): ApiProblem | undefined {
    const [, given] = /^Bearer ([\w-]{1,100})$/i.exec(headers.authorization ?? "") ?? [];
    // Digests have one length, so that neither the time nor an exception reveals anything about the secret.
    if (given !== undefined && timingSafeEqual(digestOf(given), this.#digest)) return undefined;
    return new ApiProblem(
      401,
      "wrong_secret",
      "This page is of an earlier start of the inspector.",
      "Open the address that the command printed, or press o in its terminal.",
    );
  }
}

function foreign(header: string): ApiProblem {
  const message = `The header ${header} is not that of the inspector's own page.`;
  return new ApiProblem(403, "foreign_page", message, "Open the address that the command printed.");
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
