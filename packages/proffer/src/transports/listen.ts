import type { Server } from "../server/server.ts";
import { consoleLog } from "../support/log.ts";
import { UsageError } from "../support/usage-error.ts";
import type { Protection } from "./http/authentication.ts";
import {
  DEFAULT_PATH,
  type HttpService,
  type MountedServer,
  type ServeOptions,
  serveHttp,
} from "./http/node/server.ts";
import type { RequestEntry } from "./http/options.ts";
import type { LogFormat } from "./log-format.ts";
import type { ProcessOptions } from "./process.ts";
import type { OAuthFlags } from "./serve-flags.ts";

/** Serves a server, and those in `mounts`, over HTTP. */
export async function listen(server: Server, http: ServeOptions, options: ProcessOptions): Promise<HttpService> {
  const { mounts = {}, log, oauth, card } = options;
  const path = http.path ?? DEFAULT_PATH;
  if (Object.hasOwn(mounts, path)) {
    throw new UsageError(`Two servers have the path ${path}; choose another path for one of them.`);
  }
  const requests = log && { log: createRequestLog(log) };
  const servers = await protect({ [path]: server, ...mounts }, oauth);
  if (card !== undefined) {
    const { serverCard } = await import("../features/card/card.ts");
    servers[path] = { server, ...servers[path], card: serverCard(card) };
  }
  return serveHttp(servers, { ...http, ...requests });
}

async function protect(servers: { readonly [path: string]: Server }, oauth: OAuthFlags | undefined) {
  const protections = oauth && (await createProtections(oauth, Object.keys(servers)));
  const mounts = Object.entries(servers).map(([path, server]): [string, MountedServer] => {
    const authenticate = protections?.get(path);
    return [path, authenticate === undefined ? { server } : { server, authenticate }];
  });
  return Object.fromEntries(mounts);
}

/**
 * Creates the protection of each server, by path: a token for one server is not valid at another. The code for OAuth is
 * loaded only here.
 * @throws {UsageError} for invalid values, or if the package jose is not installed.
 */
export async function createProtections(
  { issuer, resource, scopes }: OAuthFlags,
  paths: readonly string[],
): Promise<ReadonlyMap<string, Protection>> {
  const { oauth } = await import("../oauth/oauth.ts");
  const create = (path: string) => {
    const own = paths.length === 1 ? resource : resource + (path === "/" ? "" : path);
    return oauth({ issuer, resource: own, scopes });
  };
  return new Map(paths.map((path) => [path, create(path)]));
}

/** The client chooses methods and names; a log line has no use for megabytes of them. */
const MAX_NAME = 200;

/** Returns a `log` option that writes each HTTP request to the log of the process. */
function createRequestLog(format: LogFormat): (entry: RequestEntry) => void {
  return ({ method, path, status, milliseconds, rpc, name, ...others }) => {
    const time = Math.round(milliseconds * 10) / 10;
    const details = {
      ...(rpc !== undefined && { rpc: rpc.slice(0, MAX_NAME) }),
      ...(name !== undefined && { name: name.slice(0, MAX_NAME) }),
      ...others,
    };
    consoleLog(
      format === "pretty"
        ? { level: "info", message: `${method} ${path} ${status} in ${time} ms`, ...details }
        : { level: "info", message: "request", method, path, status, milliseconds: time, ...details },
    );
  };
}
