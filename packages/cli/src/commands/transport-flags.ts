import type { ServeOptions } from "proffer/http";
import { WrongUsage } from "../terminal/command-error.ts";

/** The transport flags of `serve` and `dev`. */
export interface TransportFlags {
  /** A port, or true for the default port. */
  readonly http?: string | boolean;
  /** The same as `http` with a port. */
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

/** Returns the HTTP options, or undefined without HTTP. @throws {WrongUsage} for invalid or conflicting flags. */
export function toServeOptions(flags: TransportFlags): ServeOptions | undefined {
  const { http, port: named = typeof http === "string" ? http : undefined, host, path } = flags;
  if (!usesHttp(flags)) {
    const stray = host === undefined ? (path === undefined ? undefined : "--path") : "--host";
    if (stray !== undefined) throw new WrongUsage(`${stray} requires --http.`);
    return undefined;
  }
  // Hosting platforms pass the port in this variable.
  const port = named === undefined ? readPort(process.env.PORT) : parsePort(named, flags.port ? "--port" : "--http");
  if (typeof http === "string" && port !== parsePort(http, "--http")) {
    throw new WrongUsage(`Conflicting ports: --http ${http} and --port ${named}. Use one of them.`);
  }
  return {
    ...(port !== undefined && { port }),
    ...(host !== undefined && { host }),
    ...(path !== undefined && { path }),
  };
}

/** Returns the other modules to serve, by path. @throws {WrongUsage} for invalid flags. */
export function toMounts(flags: ServeFlags): ReadonlyMap<string, string> {
  const { mount = [] } = flags;
  const mounts = new Map<string, string>();
  for (const text of mount) {
    if (!usesHttp(flags)) throw new WrongUsage("--mount requires --http.");
    const [, path, module] = /^(\/[^=]*)=(.+)$/.exec(text) ?? [];
    if (path === undefined || module === undefined) {
      throw new WrongUsage(`Invalid value of --mount: ${JSON.stringify(text)}. Write --mount /path=module.ts.`);
    }
    if (mounts.has(path))
      throw new WrongUsage(`--mount has the path ${path} twice. Use a different path for each module.`);
    mounts.set(path, module);
  }
  return mounts;
}

function usesHttp({ http, port }: TransportFlags): boolean {
  return port !== undefined || (http !== undefined && http !== false);
}

function readPort(variable: string | undefined): number | undefined {
  return variable ? parsePort(variable, "PORT") : undefined;
}

function parsePort(text: string, origin: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new WrongUsage(
    `Invalid port in ${origin}: ${JSON.stringify(text)}. Use a number from 0 to 65535; 0 picks a free port.`,
  );
}
