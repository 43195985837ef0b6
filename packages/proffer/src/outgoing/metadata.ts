import { FetchError, type OutgoingOptions } from "./options.ts";
import { requestJson } from "./request.ts";

/** A JSON object of another party. */
export type Document = { readonly [member: string]: unknown };

/**
 * Finds the metadata document of an authorization server (RFC 8414, OpenID Connect Discovery).
 * @throws {FetchError} if there is none, or one of another issuer.
 */
export async function findMetadata(issuer: string, options: OutgoingOptions): Promise<Document> {
  let failure: FetchError | undefined;
  for (const url of locationsOf(issuer)) {
    try {
      const document = await requestJson(url, options);
      // Any other spelling is another issuer (RFC 8414, section 3.3).
      if (document.issuer === issuer) return document;
      failure = new FetchError(`${url} is the metadata of another issuer: ${JSON.stringify(document.issuer)}`, 200);
    } catch (error) {
      // Metadata of another issuer says more than its absence elsewhere.
      if (failure?.status !== 200) failure = error as FetchError;
      const { status = 500 } = error as FetchError;
      // The server is down: the other locations would not answer either.
      if (status >= 500) break;
    }
  }
  throw failure;
}

/** Where the metadata of an issuer can be, in the order of the MCP specification. */
function locationsOf(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  const oauth = `${origin}/.well-known/oauth-authorization-server${path}`;
  const openid = `${origin}/.well-known/openid-configuration${path}`;
  return path === "" ? [oauth, openid] : [oauth, openid, `${origin}${path}/.well-known/openid-configuration`];
}
