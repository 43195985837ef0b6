import type { ServeOptions } from "proffer/http";
import { WrongUsage } from "./command-error.ts";

/** The flags of `serve` and `dev` that say how to serve. */
export interface TransportFlags {
  /** A port, or true for the default one. */
  readonly http?: string | boolean;
  readonly host?: string;
  readonly path?: string;
  readonly stdio?: boolean;
}

/** What the flags say about HTTP; undefined if it was not asked for. @throws {WrongUsage} for flags that make no sense. */
export function toServeOptions({ http, host, path }: TransportFlags): ServeOptions | undefined {
  if (http === undefined || http === false) {
    const stray = host === undefined ? (path === undefined ? undefined : "--path") : "--host";
    if (stray !== undefined) throw new WrongUsage(`${stray} is about HTTP; add --http.`);
    return undefined;
  }
  return {
    ...(typeof http === "string" && { port: parsePort(http) }),
    ...(host !== undefined && { host }),
    ...(path !== undefined && { path }),
  };
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new WrongUsage(`${JSON.stringify(text)} is not a port: name a number from 0 to 65535; 0 takes any free one.`);
}
