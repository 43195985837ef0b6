import type { Dirent, RmOptions, Stats } from "node:fs";
import type { CpuInfo, NetworkInterfaceInfo, UserInfo } from "node:os";
import type { ParsedPath } from "node:path";
import type { UrlObject } from "node:url";
import { accepts, cannotReturn, refused, refuses, returns } from "../expect.ts";

/** Splits a path. */
export function parse(path: string): ParsedPath {
  throw new Error(path);
}
accepts(parse, ["/a/b.c"]);
returns(parse, { root: "/", dir: "/a", base: "b.c", ext: ".c", name: "b" });
cannotReturn(parse, { root: "/" });

/** Lists processors. */
export const processors = (): CpuInfo[] => [];
returns(processors, [{ model: "m", speed: 1, times: { user: 1, nice: 1, sys: 1, idle: 1, irq: 1 } }]);

/** Removes a folder. */
export function remove(path: string, options?: RmOptions): void {
  throw new Error(path + options?.force);
}
accepts(remove, ["a"], ["a", { recursive: true, maxRetries: 3 }]);
refuses(remove, ["a", { recursive: "yes" }], ["a", { recursiv: true }]);

/** Lists networks. */
export function networks(): NodeJS.Dict<NetworkInterfaceInfo[]> {
  throw new Error("sample");
}
returns(networks, {
  lo: [{ address: "127.0.0.1", netmask: "255.0.0.0", mac: "", internal: true, cidr: null, family: "IPv4" }],
});
cannotReturn(networks, { lo: [{ address: "::1", family: "IPv5" }] });

/** Shows a file. */
export async function stat(path: string): Promise<Stats> {
  throw new Error(path);
}
refused(stat, "PF1102", "PF1105");

/** Shows the size of a file. */
export function size(path: string): Pick<Stats, "size" | "mtime" | "isFile"> {
  throw new Error(path);
}
refused(size, "PF1102", "PF1105");

/** Shows when a file changed. */
export function changed(path: string): Pick<Stats, "size" | "mtime"> {
  throw new Error(path);
}
returns(changed, { size: 5, mtime: new Date(0) });

/** Lists a folder. */
export function entries(path: string): Dirent[] {
  throw new Error(path);
}
refused(entries, "PF1102", "PF1105");

/** Formats a URL. */
export function format(url: Pick<UrlObject, "host" | "pathname" | "port">, user?: UserInfo<string>): URL {
  throw new Error(url.host ?? user?.username);
}
accepts(format, [{ host: "a", port: 80 }], [{ pathname: null, port: "80" }]);
refuses(format, [{ host: 5 }], [{ hots: "a" }]);
returns(format, new URL("https://example.org/a?b=c"));
