import { networkInterfaces } from "node:os";
import { defineServer, defineTool, type LogEntry, type Tool } from "proffer";
import { type ServeOptions, serveHttp } from "proffer/http";
import { describe, expect, it } from "vitest";
import { modern, openSession, postModern } from "./http-client.ts";

const list = modern("tools/list");

/** Serves and returns the URL, the status of a request to it, and the warnings. */
async function open(options: ServeOptions, tools: readonly Tool[] = []) {
  const warnings: string[] = [];
  const log = ({ level, message }: LogEntry) => void (level === "warning" && warnings.push(message));
  const server = defineServer({ name: "s", version: "1", tools, log });
  const { url, port, close } = await serveHttp(server, { port: 0, ...options });
  const { status } = await postModern(url, list);
  await close();
  return { url: url.replace(`:${port}`, ":PORT"), status, warnings };
}

const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
const other = addresses.find(({ internal, family }) => !internal && family === "IPv4")?.address;
if (other === undefined) console.warn("Addresses of the network are NOT tested: this machine has no IPv4 address.");
const hasIPv6 = addresses.some(({ address }) => address === "::1");
if (!hasIPv6) console.warn("IPv6 is NOT tested: this machine has no address ::1.");

describe("service.url", () => {
  it.each<readonly [host: string | undefined, url: string]>([
    [undefined, "http://127.0.0.1:PORT/mcp"],
    ["localhost", "http://localhost:PORT/mcp"],
    ["0.0.0.0", "http://127.0.0.1:PORT/mcp"],
    // A loopback address, but not one of the names that are always allowed.
    ...(process.platform === "linux" ? [["127.0.0.2", "http://127.0.0.2:PORT/mcp"] as const] : []),
    ...(other === undefined ? [] : [[other, `http://${other}:PORT/mcp`] as const]),
    ...(hasIPv6
      ? ([
          ["::", "http://[::1]:PORT/mcp"],
          ["[::]", "http://[::1]:PORT/mcp"],
          ["::1", "http://[::1]:PORT/mcp"],
          ["[::1]", "http://[::1]:PORT/mcp"],
          ["0:0:0:0:0:0:0:1", "http://[::1]:PORT/mcp"],
        ] as const)
      : []),
  ])("reaches a server that listens on %s", async (host, url) => {
    expect(await open(host === undefined ? {} : { host })).toMatchObject({ url, status: 200 });
  });

  it("has the path", async () => {
    expect(await open({ host: "0.0.0.0", path: "/sales/mcp" })).toMatchObject({
      url: "http://127.0.0.1:PORT/sales/mcp",
      status: 200,
    });
  });
});

describe("a server that other machines can connect to", () => {
  it("logs which requests it refuses, with the remedy, if no host names are listed", async () => {
    const { warnings } = await open({ host: "0.0.0.0" });
    expect(warnings).toEqual([
      "Listening on 0.0.0.0, but only requests to localhost, 127.0.0.1, [::1] are accepted; those to any other host " +
        "name get 403. List the names that clients use, such as mcp.example.com: in allowedHosts, with --allowed-host " +
        "mcp.example.com, or in PROFFER_ALLOWED_HOSTS.",
    ]);
  });

  it.runIf(other !== undefined)("accepts its own address, and says so", async () => {
    const { status, warnings } = await open({ host: other as string });
    expect(status).toBe(200);
    expect(warnings).toEqual([expect.stringContaining(`localhost, 127.0.0.1, [::1], ${other} are accepted`)]);
    const listed = await open({ host: other as string, allowedHosts: ["mcp.example.com"], allowLocalhost: false });
    expect(listed).toMatchObject({ status: 200, warnings: [] });
  });

  it("logs one warning if everybody may call destructive tools", async () => {
    const tool = (name: string, destructiveHint?: boolean) =>
      defineTool({ name, annotations: destructiveHint === undefined ? {} : { destructiveHint }, handle: () => "" });
    const tools = [tool("find"), tool("note", false), tool("wipe", true), tool("drop", true)];
    const options = { host: "0.0.0.0", allowedHosts: ["mcp.example.com"] };
    const { warnings } = await open(options, tools);
    expect(warnings).toEqual([
      "Listening on 0.0.0.0 without authentication: everyone who reaches the server may call the destructive tool " +
        '"wipe" and 1 more destructive tool. Set authenticate, or --oauth-issuer and --oauth-resource.',
    ]);
    expect((await open(options, tools.slice(0, 2))).warnings).toEqual([]);
    expect((await open({ ...options, authenticate: () => ({ id: "ada" }) }, tools)).warnings).toEqual([]);
    expect((await open({}, tools)).warnings).toEqual([]);
  });

  it.each<ServeOptions>([
    {},
    { host: "localhost" },
    { host: "0.0.0.0", allowedHosts: ["mcp.example.com"] },
    { host: "0.0.0.0", dangerouslyAllowAnyHost: true },
  ])("logs nothing for %j", async (options) => {
    expect((await open(options)).warnings).toEqual([]);
  });

  it("logs once for several servers", async () => {
    const entries: LogEntry[] = [];
    const server = defineServer({ name: "s", version: "1", tools: [], log: (entry) => void entries.push(entry) });
    const listed = { server, allowedHosts: ["a.example.com"] };
    const service = await serveHttp({ "/a": listed, "/b": server, "/c": server }, { port: 0, host: "0.0.0.0" });
    await service.close();
    expect(entries).toHaveLength(1);
  });
});

describe("a proxy that is not trusted", () => {
  async function warningsOf(options: ServeOptions): Promise<string[]> {
    const warnings: string[] = [];
    const log = ({ level, message }: LogEntry) => void (level === "warning" && warnings.push(message));
    const service = await serveHttp(defineServer({ name: "s", version: "1", tools: [], log }), { port: 0, ...options });
    for (let n = 0; n < 3; n++) {
      await postModern(service.url, list, { "x-forwarded-for": "203.0.113.9" });
      await openSession(service.url, "2025-11-25", { "x-forwarded-for": "203.0.113.9" });
    }
    await service.close();
    return warnings;
  }

  it("is reported once, with the line to add", async () => {
    const expected = [
      "Requests from 127.0.0.1 have X-Forwarded-For, which is ignored because anyone can write it: anonymous callers " +
        'behind that address have one share together. If it is your proxy, add trustedProxies: ["127.0.0.1"], or ' +
        "--trusted-proxy 127.0.0.1.",
    ];
    expect(await warningsOf({})).toEqual(expected);
    expect(await warningsOf({ trustedProxies: ["10.0.0.0/8"] })).toEqual(expected);
    expect(await warningsOf({ trustedProxies: ["127.0.0.0/8"] })).toEqual([]);
    expect(await warningsOf({ caller: () => "everybody" })).toEqual([]);
  });
});
