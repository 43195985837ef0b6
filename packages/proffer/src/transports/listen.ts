import type { Server } from "../server/server.ts";
import { UsageError } from "../support/usage-error.ts";
import { DEFAULT_PATH, type HttpService, type Mount, type ServeOptions, serveHttp } from "./http/node/server.ts";
import type { OAuthFlags } from "./oauth-flags.ts";
import type { ProcessOptions } from "./process.ts";
import { createProtections } from "./protections.ts";

/** Serves a server, and those in `mounts`, over HTTP. */
export async function listen(server: Server, http: ServeOptions, options: ProcessOptions): Promise<HttpService> {
  const { mounts = {}, log, oauth } = options;
  const path = http.path ?? DEFAULT_PATH;
  if (Object.hasOwn(mounts, path)) {
    throw new UsageError("bad_option", `Two servers have the path ${path}; choose another path for one of them.`);
  }
  const requests = log && { log: (await import("./request-log.ts")).createRequestLog(log) };
  const servers = { [path]: server, ...mounts };
  return serveHttp(await protect(servers, oauth), { ...http, ...requests });
}

type Servers = { readonly [path: string]: Server };

async function protect(servers: Servers, oauth: OAuthFlags | undefined): Promise<Servers | Record<string, Mount>> {
  if (oauth === undefined) return servers;
  const protections = await createProtections(oauth, Object.keys(servers));
  const mounts = [...protections].map(([path, authenticate]): [string, Mount] => {
    return [path, { server: servers[path] as Server, authenticate }];
  });
  return Object.fromEntries(mounts);
}
