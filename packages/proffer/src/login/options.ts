import type { Reach } from "../outgoing/options.ts";

/** What an authorization server has given this client for one server. */
export interface Credentials {
  /** The authorization server. They are sent to no other one. */
  readonly issuer: string;
  /** The protected server, as its metadata spells it. */
  readonly resource: string;
  /** How near the server is: its authorization server may be no nearer. */
  readonly reach: Reach;
  readonly client: ClientIdentity;
  readonly accessToken?: string;
  readonly refreshToken?: string;
  readonly scopes?: readonly string[];
}

/** How an authorization server knows this client. */
export interface ClientIdentity {
  readonly id: string;
  readonly secret?: string;
  /** How the client proves its identity. Default: by its secret in a header, or not at all without one. */
  readonly method?: string;
  /** The redirect URI that was registered. */
  readonly redirectUri?: string;
}

/** Keeps credentials, by the URL of the server. */
export interface CredentialStore {
  get(server: string): Credentials | undefined | Promise<Credentials | undefined>;
  /**
   * Replaces the credentials of a server by those that `change` returns, or deletes them. No other change of them, also of
   * another process, may happen meanwhile: a refresh token can often be used only once.
   */
  update(
    server: string,
    change: (known: Credentials | undefined) => Promise<Credentials | undefined>,
  ): Promise<Credentials | undefined>;
}

/** The place to which an authorization server sends the user back. */
export interface Redirect {
  readonly uri: string;
  /** Shows the user a page of the authorization server. Resolves with the URL that it redirected to. */
  visit(page: string, signal?: AbortSignal): Promise<string>;
  close?(): void | Promise<void>;
}

/** Options for logging in to a server. */
export interface LoginOptions {
  /** Where credentials are kept. Default: in memory. */
  readonly store?: CredentialStore;
  /**
   * Opens the place to which the user is sent back, at the URI of the last time if that is possible. Without it, nobody is
   * asked: credentials of the store are used and refreshed.
   */
  readonly redirect?: (lastUri: string | undefined) => Redirect | Promise<Redirect>;
  /**
   * The only authorization server to use. Name it with a `client` that has a secret: otherwise the server decides who gets
   * the secret. Default: the one that the server prefers.
   */
  readonly issuer?: string;
  /** The client, if the authorization server knows it already. Default: it is registered. */
  readonly client?: ClientIdentity;
  /** The URL of a document about the client, which is its id where the authorization server can read it. */
  readonly clientMetadataUrl?: string;
  /** The name of the client, for pages of the authorization server. Default: "Proffer". */
  readonly clientName?: string;
  /** `client_credentials` logs in the client itself, by its secret, and no user. Default: `authorization_code`. */
  readonly grant?: "authorization_code" | "client_credentials";
  /** The scopes to ask for. Default: those that the server names. */
  readonly scopes?: readonly string[];
  /** The URL of a proxy for requests to authorization servers. */
  readonly proxy?: string;
}

/** Keeps credentials for as long as the process lives. */
export class MemoryStore implements CredentialStore {
  readonly #known = new Map<string, Credentials>();
  #last: Promise<unknown> = Promise.resolve();

  get(server: string): Credentials | undefined {
    return this.#known.get(server);
  }

  update(
    server: string,
    change: (known: Credentials | undefined) => Promise<Credentials | undefined>,
  ): Promise<Credentials | undefined> {
    const changed = this.#last.then(async () => {
      const next = await change(this.#known.get(server));
      if (next === undefined) this.#known.delete(server);
      else this.#known.set(server, next);
      return next;
    });
    this.#last = changed.catch(() => undefined);
    return changed;
  }
}
