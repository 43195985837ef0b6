import { Attempts } from "./attempts.ts";
import type { Environment } from "./environment.ts";
import { FetchError, fetchJson } from "./fetch-json.ts";
import type { IssuerSettings } from "./settings.ts";
import { parseSafeUrl } from "./url-check.ts";

type Document = { readonly [member: string]: unknown };

/** Finds the URLs of an issuer by its metadata document (RFC 8414, OpenID Connect Discovery). */
export class IssuerMetadata {
  readonly #settings: IssuerSettings;
  readonly #environment: Environment;
  readonly #attempts: Attempts<Document>;

  constructor(settings: IssuerSettings, environment: Environment) {
    this.#settings = settings;
    this.#environment = environment;
    this.#attempts = new Attempts(environment, () => this.#find());
  }

  /** The URL that the document has under that name; undefined if it has none. @throws {FetchError} */
  async url(name: string): Promise<string | undefined> {
    const document = await this.#attempts.first();
    if (document === undefined) throw this.#attempts.error;
    const value = document[name];
    if (value === undefined) return undefined;
    const { issuer, trustedHosts } = this.#settings;
    const url = parseSafeUrl(value);
    // A forged document must not make the server call hosts of its own network.
    if (url && [new URL(issuer).host, ...trustedHosts].includes(url.host)) return url.href;
    const problem = url
      ? `names ${name} on ${url.host}. If that is right, add the host to trustedHosts.`
      : `has no https URL as ${name}.`;
    throw new FetchError(`The metadata of ${issuer} ${problem}`);
  }

  /** Fetches the document again when a URL is needed next. */
  forget(): void {
    this.#attempts.value = undefined;
  }

  async #find(): Promise<Document> {
    const { issuer } = this.#settings;
    let failure: unknown;
    for (const url of locationsOf(issuer)) {
      try {
        const document = await fetchJson(url, this.#environment);
        // Any other spelling is another issuer (RFC 8414, section 3.3).
        if (document.issuer === issuer) return document;
        failure = new FetchError(`${url} is the metadata of another issuer: ${JSON.stringify(document.issuer)}`, 200);
      } catch (error) {
        failure = error;
        const { status = 500 } = error as FetchError;
        // The server is down: the other locations would not answer either.
        if (status >= 500) break;
      }
    }
    throw failure;
  }
}

/** Where the metadata of an issuer can be, in the order of the MCP specification. */
function locationsOf(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const oauth = `${origin}/.well-known/oauth-authorization-server${path}`;
  const openid = `${origin}/.well-known/openid-configuration${path}`;
  return path === "" ? [oauth, openid] : [oauth, openid, `${origin}${path}/.well-known/openid-configuration`];
}
