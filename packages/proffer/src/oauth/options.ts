/** Options for `oauth()`. */
export interface OAuthOptions {
  /**
   * The authorization servers whose tokens are accepted, by their issuer identifiers, exactly as the tokens spell them. Put
   * the preferred one first: some clients use no other.
   */
  readonly issuer: string | readonly (string | IssuerOptions)[];
  /** The URL of this server, as clients write it, such as "https://tools.example.com/mcp". No request can change it. */
  readonly resource: string;
  /** One of these must be in `aud` of each token. Default: `resource`. */
  readonly audience?: string | readonly string[];
  /** The scopes that every token must have. Clients ask for them first. Default: none. */
  readonly scopes?: readonly string[];
  /** The scopes that the first challenge asks for: `scopes`, or also every scope of a tool, prompt or resource. Default: "baseline". */
  readonly ask?: "baseline" | "all";
  /** The scopes that a broader scope contains, such as `{ "orders:write": ["orders:read"] }`. */
  readonly includes?: { readonly [scope: string]: readonly string[] };
  /** Serves callers without a token as anonymous; an item with scopes challenges them. Default: false. */
  readonly anonymous?: boolean;
  /** Signature algorithms. Default: ES256, RS256, PS256, EdDSA and Ed25519. */
  readonly algorithms?: readonly string[];
  /** Seconds by which the clocks of issuers may differ from this one, at most 60. Default: 5. */
  readonly clockTolerance?: number;
  /** How verified tokens are cached; false verifies each token for each request. */
  readonly cache?: CacheOptions | false;
  /** How to verify tokens that are not JWTs. Default: they are refused. */
  readonly introspection?: IntrospectionOptions;
  /** The URL of a proxy for requests to authorization servers. Default: none, whatever the environment says. */
  readonly proxy?: string;
  /** Further members of the metadata document (RFC 9728), such as `resource_name`. */
  readonly metadata?: { readonly [member: string]: unknown };
  /**
   * Changes the principal of a verified token: the returned properties replace those that the claims give. Undefined
   * refuses the token.
   */
  principal?(claims: Claims): PrincipalDetails | undefined | Promise<PrincipalDetails | undefined>;
}

/** The claims of a verified token, or the members of an introspection response. */
export interface Claims {
  readonly [name: string]: unknown;
}

/** Properties of a principal, for `ctx.principal`. */
export interface PrincipalDetails {
  readonly id?: string;
  readonly scopes?: readonly string[];
  readonly [detail: string]: unknown;
}

/** An authorization server with its own settings. */
export interface IssuerOptions {
  readonly issuer: string;
  /** Default: the audience of `oauth()`. */
  readonly audience?: string | readonly string[];
  /** The URL of the keys, or the keys themselves (RFC 7517). Default: found by the issuer's metadata. */
  readonly jwks?: string | { readonly keys: readonly object[] };
  /** Hosts besides the issuer's own that its metadata may name, such as "keys.example.com". Default: none. */
  readonly trustedHosts?: readonly string[];
  /** False also accepts tokens whose type is "JWT" or missing, and needs `audience`. Default: "at+jwt" (RFC 9068). */
  readonly typ?: "at+jwt" | false;
  /** The claim with the scopes. Default: "scope". */
  readonly scopeClaim?: "scope" | "scp";
}

/** How verified tokens are cached. */
export interface CacheOptions {
  /** The number of tokens. Default: 10,000. */
  readonly size?: number;
  /** Seconds after which a token is verified again. Default: 60. */
  readonly seconds?: number;
}

/** How to ask an authorization server about tokens (RFC 7662). */
export interface IntrospectionOptions {
  /** Whose tokens they are. Required if there are several issuers. */
  readonly issuer?: string;
  /** The URL to ask. Default: found by the issuer's metadata. */
  readonly endpoint?: string;
  readonly clientId: string;
  /** Read it from the environment, not from a file. */
  readonly clientSecret: string;
  /** Seconds for which the answer about a valid token is cached. Default: 30. */
  readonly seconds?: number;
  /** False accepts answers without `aud`, for an authorization server that issues tokens for this server only. */
  readonly audience?: false;
}
