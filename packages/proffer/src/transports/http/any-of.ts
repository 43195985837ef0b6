import type { Principal } from "../../calls/client.ts";
import { isDeferred } from "../../results/return-value.ts";
import { UsageError } from "../../support/usage-error.ts";
import { type Protection, scopeChallenge } from "./authentication.ts";
import { type Challenge, challengeError } from "./challenge.ts";
import type { HttpRequest } from "./exchange.ts";
import { HttpError } from "./http-error.ts";
import type { Authenticate } from "./options.ts";

type Caller = Awaited<ReturnType<Authenticate>>;

const WHERE = "anyOf()";

/**
 * Combines protections, such as `anyOf(apiKeys(…), oauth(…))`. The first one that recognizes the credentials of a request
 * decides, and the last one decides about all others. No other is asked after a refusal: a bad token must not become
 * another identity.
 * @throws {UsageError} if one that accepts any credentials, such as a function, is not the last, or if two have metadata.
 */
export function anyOf(...members: readonly (Protection | Authenticate)[]): Protection {
  const protections = members.map(
    (member): Protection => (typeof member === "function" ? { authenticate: member } : member),
  );
  const last = checkOrder(protections);
  const described = findMetadata(protections);
  const owners = new WeakMap<Principal, Protection>();
  // The one with metadata first: the scopes of a challenge are for its authorization server.
  const challengers = described === undefined ? protections : [described, ...protections];
  const challengesOf = (scopes: readonly string[]) =>
    challengers.flatMap((each) => each.challenge?.(scopes, undefined) ?? []);
  const note = (owner: Protection, caller: Caller): Caller => {
    if (caller instanceof HttpError) return caller.status === 401 ? joinChallenges(caller, challengesOf([])) : caller;
    if (typeof caller === "object" && caller !== null && owners.get(caller) !== owner) owners.set(caller, owner);
    return caller;
  };
  return {
    authenticate(request) {
      const owner = protections.find((each) => each.recognizes?.(request)) ?? last;
      const caller = owner.authenticate(request);
      return isDeferred(caller)
        ? Promise.resolve(caller).then((given) => note(owner, given))
        : note(owner, caller as Caller);
    },
    ...(last.recognizes !== undefined && {
      recognizes: (request: HttpRequest) => protections.some((each) => each.recognizes?.(request)),
    }),
    get metadata() {
      return described?.metadata;
    },
    get noOAuth() {
      return described === undefined ? protections.find(({ noOAuth }) => noOAuth !== undefined)?.noOAuth : undefined;
    },
    challenge(scopes, principal) {
      if (principal === undefined) {
        const [first = scopeChallenge(scopes, undefined), ...others] = challengesOf(scopes);
        return joinChallenges(first, others);
      }
      return owners.get(principal)?.challenge?.(scopes, principal) ?? scopeChallenge(scopes, principal);
    },
    attach(server) {
      for (const protection of protections) protection.attach?.(server);
    },
  };
}

/** Returns the last protection. */
function checkOrder(protections: readonly Protection[]): Protection {
  const last = protections.at(-1);
  if (last === undefined) throw new UsageError(`${WHERE} requires at least one protection.`);
  const greedy = protections.findIndex(({ recognizes }) => recognizes === undefined);
  if (greedy === -1 || protections[greedy] === last) return last;
  throw new UsageError(
    `${WHERE}: The protection at position ${greedy + 1} accepts any kind of credentials, so those after it would never be asked. Put it last.`,
  );
}

function findMetadata(protections: readonly Protection[]): Protection | undefined {
  const described = protections.filter(({ metadata }) => metadata !== undefined);
  if (described.length <= 1) return described[0];
  throw new UsageError(
    `${WHERE}: Two protections have metadata, but a server has one document. For several issuers, use one oauth({ issuer: […] }).`,
  );
}

/**
 * Returns the error with one challenge for all protections: the parsers of official clients read only the first, and only
 * if it is Bearer. The reason is the error's own.
 */
function joinChallenges(error: HttpError, others: readonly HttpError[]): HttpError {
  const own = readChallenge(error);
  const bearer = [own, ...others.map(readChallenge)].filter((each) => each?.scheme.toLowerCase() === "bearer");
  if (bearer.length === 0) return error;
  const joined: Challenge = Object.assign({}, ...bearer.map((each) => each?.parameters).reverse());
  const { error: code = "", error_description = "" } = own?.parameters ?? {};
  return challengeError(error.status, error.message, { ...joined, error: code, error_description });
}

interface ReadChallenge {
  readonly scheme: string;
  readonly parameters: Challenge;
}

/** Parses a challenge that `challengeError` wrote, whose values contain no quotes. */
function readChallenge({ headers }: HttpError): ReadChallenge | undefined {
  const value = headers[headers.indexOf("www-authenticate") + 1];
  if (!headers.includes("www-authenticate") || value === undefined) return undefined;
  const [scheme = ""] = value.split(" ");
  const parameters = [...value.matchAll(/([^\s",=]+)="([^"]*)"/g)].map(([, name, text]) => [name, text] as const);
  return { scheme, parameters: Object.fromEntries(parameters) };
}
