import type { Principal } from "../../calls/client.ts";
import { sha256 } from "../../support/run-time.ts";
import { checkScopes } from "../../support/scope.ts";
import { badOption, UsageError } from "../../support/usage-error.ts";
import type { Protection } from "./authentication.ts";
import { type Challenge, challengeError, hasSecretInQuery, malformedCredentials, readBearer } from "./challenge.ts";
import type { HttpRequest } from "./exchange.ts";
import type { HttpError } from "./http-error.ts";

/** Options for `apiKeys()`. */
export interface ApiKeysOptions {
  /**
   * The callers, by the digests of their keys: `{ "sha256:9f86…": { id: "ci", scopes: ["orders:read"] } }`. The command
   * `proffer key` prints a key and its digest. A key is refused once `expires` has passed.
   */
  readonly keys: { readonly [digest: string]: Principal };
  /** The header that contains the key alone, such as "x-api-key". Default: `Authorization: Bearer`. */
  readonly header?: string;
}

const WHERE = "apiKeys()";

/** The prefix lets scanners find keys that were published by accident. 22 characters have 132 bits. */
const KEY = /^pfr_[A-Za-z0-9_-]{22,252}$/;
/** Any header that begins like a key, so that a malformed one is refused here and not passed on to `anyOf`'s next. */
const KEY_AS_BEARER = /^bearer\s+pfr_/i;
const KEY_IN_QUERY = /=pfr_/;
const DIGEST = /^sha256:([0-9a-f]{64})$/i;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

/** The scheme of challenges if the key has its own header. It is not registered: clients only show it. */
const OWN_SCHEME = "ApiKey";

/**
 * Lets callers in who send a key that you gave them. Only digests of keys are configured.
 * @throws {UsageError} for an invalid digest, id, scope or header name.
 *
 * @example
 * serveHttp(server, { authenticate: apiKeys({ keys: { "sha256:9f86…": { id: "ci", scopes: ["orders:read"] } } }) });
 */
export function apiKeys({ keys, header }: ApiKeysOptions): Protection {
  const callers = toCallers(keys);
  const name = toHeaderName(header);
  const scheme = name === undefined ? "Bearer" : OWN_SCHEME;
  const details: Challenge = name === undefined ? {} : { header: name };
  const inQuery = malformedCredentials("API keys and tokens must not be in the URL. Send them in a header.", scheme);
  const missing = challengeError(401, "Authentication required.", details, scheme);
  const description = "The API key is not valid";
  const invalid = challengeError(
    401,
    "Authentication failed.",
    { ...details, error: "invalid_token", error_description: description },
    scheme,
  );
  const read = name === undefined ? readBearer : (request: HttpRequest) => readHeader(request, name, scheme);
  const find = (hex: string): Principal | HttpError => {
    const caller = callers.get(hex);
    return caller === undefined || (caller.expires ?? Number.POSITIVE_INFINITY) <= Date.now() ? invalid : caller;
  };
  return {
    noOAuth: `This server takes an API key in the header ${name ?? "Authorization: Bearer"}, and has no OAuth. Add the key to the configuration of the client.`,
    recognizes: (request) =>
      KEY_IN_QUERY.test(request.query) ||
      (name === undefined
        ? KEY_AS_BEARER.test(request.header("authorization") ?? "")
        : request.header(name) !== undefined),
    authenticate(request) {
      if (hasSecretInQuery(request)) return inQuery;
      const key = read(request);
      if (typeof key !== "string") return key ?? missing;
      if (!KEY.test(key)) return invalid;
      // Finding a digest takes as long for a key that is nearly right as for any other. Its bits are not secret.
      const hex = sha256(key);
      return typeof hex === "string" ? find(hex) : hex.then(find);
    },
    challenge: (scopes, principal) =>
      principal === undefined
        ? challengeError(401, "Authentication required.", { ...details, scope: scopes.join(" ") }, scheme)
        : challengeError(403, "Permission denied.", { error: "insufficient_scope", scope: scopes.join(" ") }, scheme),
  };
}

/** Two headers arrive as one value with a comma, which no key has. */
function readHeader(request: HttpRequest, name: string, scheme: string): string | HttpError | undefined {
  const value = request.header(name);
  return value?.includes(",") ? malformedCredentials(`${name} was sent twice.`, scheme) : value;
}

/** The callers by the hexadecimal digest of their key. */
function toCallers(keys: ApiKeysOptions["keys"]): ReadonlyMap<string, Principal> {
  const callers = new Map<string, Principal>();
  const ids = new Set<string>();
  for (const [name, caller] of Object.entries(keys ?? {})) {
    const hex = DIGEST.exec(name)?.[1]?.toLowerCase();
    if (hex === undefined) throw new UsageError(`${WHERE}: ${wrongDigest(name)}`);
    const shown = `sha256:${hex.slice(0, 8)}…`;
    if (callers.has(hex)) throw new UsageError(`${WHERE}: The key ${shown} is listed twice.`, "duplicate");
    checkCaller(caller, shown);
    if (ids.has(caller.id)) {
      throw new UsageError(
        `${WHERE}: Two keys have the id ${JSON.stringify(caller.id)}. Each key needs its own id, such as "ci-2".`,
        "duplicate",
      );
    }
    ids.add(caller.id);
    callers.set(hex, freeze(caller));
  }
  if (callers.size > 0) return callers;
  throw new UsageError(`${WHERE}: keys is empty, so every request would be refused. Run: proffer key`);
}

/** Requests share the object. */
function freeze(caller: Principal): Principal {
  const { scopes } = caller;
  return Object.freeze({ ...caller, ...(scopes !== undefined && { scopes: Object.freeze([...scopes]) }) });
}

/** The name may be a key that somebody pasted, so the message does not repeat it. */
function wrongDigest(name: string): string {
  return name.startsWith("pfr_")
    ? "keys contains a key instead of its digest. Replace the key, since it is in your code, and use the digest that proffer key prints."
    : 'Each property of keys must be "sha256:" and 64 hexadecimal digits, as proffer key prints it.';
}

function checkCaller(caller: Principal, shown: string): void {
  const { id, scopes = [], expires = 0 } = caller ?? {};
  if (typeof id !== "string" || id === "") {
    throw new UsageError(`${WHERE}: The key ${shown} needs an id, such as { id: "ci" }.`);
  }
  checkScopes(scopes, `${WHERE}: scopes of ${JSON.stringify(id)}`);
  if (typeof expires !== "number" || Number.isNaN(expires)) {
    const time = 'a time in milliseconds, such as Date.parse("2030-01-01")';
    throw badOption(WHERE, `expires of ${JSON.stringify(id)}`, time, expires);
  }
}

function toHeaderName(header: string | undefined): string | undefined {
  const name = header?.toLowerCase();
  if (name === undefined) return undefined;
  if (name === "authorization" || name === "cookie" || !HEADER_NAME.test(name)) {
    throw new UsageError(
      `${WHERE}: header must be the name of a header such as "x-api-key", not ${JSON.stringify(header)}. Without it, keys are sent as Authorization: Bearer.`,
    );
  }
  return name;
}
