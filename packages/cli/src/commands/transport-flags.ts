import type { ServeOptions } from "proffer/http";
import { WrongUsage } from "../terminal/command-error.ts";

/** The flags of `serve` and `dev` that say how to serve. */
export interface TransportFlags {
  /** A port, or true for the default one. */
  readonly http?: string | boolean;
  /** The same, for those who know it by this name. */
  readonly port?: string;
  readonly host?: string;
  readonly path?: string;
  readonly stdio?: boolean;
}

/** The flags of `serve`. */
export interface ServeFlags extends TransportFlags {
  /** Other modules that share the port, each as `/path=module`. */
  readonly mount?: readonly string[];
}

/** What the flags say about HTTP; undefined if it was not asked for. @throws {WrongUsage} for flags that make no sense. */
export function toServeOptions(flags: TransportFlags): ServeOptions | undefined {
  const { http, port: named = typeof http === "string" ? http : undefined, host, path } = flags;
  if (!asksForHttp(flags)) {
    const stray = host === undefined ? (path === undefined ? undefined : "--path") : "--host";
    if (stray !== undefined) throw new WrongUsage(`${stray} is about HTTP; add --http.`);
    return undefined;
  }
  // Hosts that start a server for its users say by this variable where they look for it.
  const port = named === undefined ? readPort(process.env.PORT) : parsePort(named, flags.port ? "--port" : "--http");
  if (typeof http === "string" && port !== parsePort(http, "--http")) {
    throw new WrongUsage(`--http names the port ${http} and --port ${named}; name one.`);
  }
  return {
    ...(port !== undefined && { port }),
    ...(host !== undefined && { host }),
    ...(path !== undefined && { path }),
  };
}

/** The other modules to serve, by their paths. @throws {WrongUsage} for flags that make no sense. */
export function toMounts(flags: ServeFlags): ReadonlyMap<string, string> {
  const { mount = [] } = flags;
  const mounts = new Map<string, string>();
  for (const text of mount) {
    if (!asksForHttp(flags)) throw new WrongUsage("--mount is about HTTP; add --http.");
    const [, path, module] = /^(\/[^=]*)=(.+)$/.exec(text) ?? [];
    if (path === undefined || module === undefined) {
      throw new WrongUsage(`${JSON.stringify(text)} is not a path and a module; write --mount /path=module.ts.`);
    }
    if (mounts.has(path)) throw new WrongUsage(`--mount names ${path} twice; give each module a path of its own.`);
    mounts.set(path, module);
  }
  return mounts;
}

function asksForHttp({ http, port }: TransportFlags): boolean {
  return port !== undefined || (http !== undefined && http !== false);
}

function readPort(variable: string | undefined): number | undefined {
  return variable ? parsePort(variable, "PORT") : undefined;
}

function parsePort(text: string, origin: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new WrongUsage(
    `${origin}: ${JSON.stringify(text)} is not a port; name a number from 0 to 65535, where 0 takes any free one.`,
  );
}
