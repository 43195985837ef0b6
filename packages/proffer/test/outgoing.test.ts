import dns from "node:dns";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import http, { type RequestListener } from "node:http";
import https from "node:https";
import net, { type AddressInfo, type Server } from "node:net";
import tls from "node:tls";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { OutgoingOptions } from "../src/outgoing/options.ts";
import { request, requestJson } from "../src/outgoing/request.ts";

const folder = new URL("fixtures/tls/", import.meta.url);
const ca = readFileSync(new URL("certificate.pem", folder));
const key = readFileSync(new URL("key.pem", folder));

/** What names resolve to, for the requests of a test. */
const names = new Map<string, readonly string[]>();
const servers: Server[] = [];

beforeEach(() => {
  const { lookup } = dns;
  vi.spyOn(dns, "lookup").mockImplementation(((name: string, options: object, done: (...found: unknown[]) => void) => {
    // Of a server that starts to listen.
    if (net.isIP(name)) return lookup(name, options, done);
    const found = names.get(name) ?? [];
    const error = found.length === 0 ? new Error(`unknown name ${name}`) : null;
    done(
      error,
      found.map((address) => ({ address, family: net.isIP(address) })),
    );
  }) as never);
  // The certificate of the tests is trusted, and nothing else is changed.
  const { request } = https;
  vi.spyOn(https, "request").mockImplementation(((url: URL, options: object) =>
    request(url, { ...options, ca })) as never);
  const { connect } = tls;
  vi.spyOn(tls, "connect").mockImplementation(((options: object) => connect({ ca, ...options })) as never);
});

afterEach(async () => {
  vi.restoreAllMocks();
  names.clear();
  for (const server of servers.splice(0)) server.close();
});

async function listen<Kind extends Server>(server: Kind): Promise<number> {
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const serveHttp = (handle: RequestListener) => listen(http.createServer(handle));
const serveHttps = (handle: RequestListener) => listen(https.createServer({ key, cert: ca }, handle));
const send = (url: string, options: Partial<OutgoingOptions> = {}) => request(url, { timeout: 30_000, ...options });

describe("a request to an address that another party has named", () => {
  it("goes to the address that was checked, with the name in TLS and in the header host", async () => {
    const seen: unknown[] = [];
    const port = await serveHttps((request, response) => {
      seen.push(request.headers.host, (request.socket as tls.TLSSocket).servername);
      response.end("found");
    });
    names.set("named.test", ["127.0.0.1"]);
    const { status, text, reach } = await send(`https://named.test:${port}/`, { within: "loopback" });
    expect({ status, text, reach }).toEqual({ status: 200, text: "found", reach: "loopback" });
    expect(seen).toEqual([`named.test:${port}`, "named.test"]);
    expect(vi.mocked(dns.lookup).mock.calls.filter(([name]) => name === "named.test")).toHaveLength(1);
  });

  it.each([["127.0.0.1"], ["1.1.1.1", "127.0.0.1"], ["::ffff:127.0.0.1"], ["10.0.0.1"], ["169.254.169.254"], ["::1"]])(
    "is not sent if its name resolves to %s",
    async (...addresses) => {
      let connections = 0;
      const port = await serveHttps(() => {});
      servers.at(-1)?.on("connection", () => connections++);
      names.set("named.test", addresses);
      const refused = expect.objectContaining({
        message: expect.stringMatching(/named\.test \(.*\) is not a public address/),
      });
      await expect(send(`https://named.test:${port}/`, { within: "public" })).rejects.toEqual(refused);
      expect(connections).toBe(0);
    },
  );

  it("is not sent over http to another machine, also if its name says localhost", async () => {
    names.set("localhost", ["10.0.0.1"]);
    await expect(send("http://localhost:1/")).rejects.toThrow("localhost (10.0.0.1) is not a public address");
    await expect(send("http://named.test/")).rejects.toThrow("http://named.test/ must be an https URL");
  });

  it("fails if the certificate is for another name", async () => {
    const port = await serveHttps((_, response) => void response.end());
    names.set("other.test", ["127.0.0.1"]);
    const error = await send(`https://other.test:${port}/`).catch((error: Error) => error);
    expect(error).toMatchObject({ cause: { code: "ERR_TLS_CERT_ALTNAME_INVALID" } });
  });

  it("does not follow redirects", async () => {
    const paths: unknown[] = [];
    const port = await serveHttp((request, response) => {
      paths.push(request.url);
      response.writeHead(307, { location: "/elsewhere" }).end();
    });
    const url = `http://127.0.0.1:${port}/`;
    expect((await send(url)).status).toBe(307);
    await expect(requestJson(url, { timeout: 30_000 })).rejects.toThrow(`${url} answered with status 307.`);
    expect(paths).toEqual(["/", "/"]);
  });

  it("ends after too many bytes, whatever the header says", async () => {
    let written = 0;
    const port = await serveHttp((_, response) => {
      const write = () => {
        while (!response.destroyed && response.write("x".repeat(64 * 1024))) written += 64 * 1024;
      };
      response.on("drain", write);
      write();
    });
    const url = `http://127.0.0.1:${port}/`;
    await expect(send(url, { maxBytes: 1000 })).rejects.toThrow(`${url} returned more than 1000 bytes.`);
    expect(written).toBeLessThan(64 * 1024 * 1024);
  });

  it.each<[string, RequestListener]>([
    ["nothing", () => {}],
    ["one byte a time", (_, response) => void setInterval(() => response.write("x"), 5).unref()],
  ])("ends after the time limit if the response is %s", async (_, respond) => {
    const port = await serveHttp(respond);
    await expect(send(`http://127.0.0.1:${port}/`, { timeout: 50 })).rejects.toThrow("did not answer within 50 ms");
    const abort = new AbortController();
    const sent = send(`http://127.0.0.1:${port}/`, { signal: abort.signal });
    abort.abort(new Error("given up"));
    await expect(sent).rejects.toThrow("given up");
  });

  it("goes through a proxy only if the option names one", async () => {
    vi.stubEnv("HTTPS_PROXY", "http://127.0.0.1:1");
    const targets: unknown[] = [];
    const port = await serveHttps(
      (request, response) => void response.end(`${request.method} by ${request.headers.host}`),
    );
    const proxy = http.createServer();
    proxy.on("connect", (request, socket) => {
      targets.push(request.url, request.headers["proxy-authorization"]);
      if (request.url === "login.test:443") return void socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
      const upstream = net.connect(port, "127.0.0.1", () => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
      upstream.pipe(socket).pipe(upstream);
    });
    const url = `http://ada:p%40ss@127.0.0.1:${await listen(proxy)}`;
    const options = { proxy: url, within: "public" as const, method: "POST" as const, body: "ü" };
    expect((await send(`https://tools.test:${port}/`, options)).text).toBe(`POST by tools.test:${port}`);
    expect(targets).toEqual([`tools.test:${port}`, `Basic ${btoa("ada:p@ss")}`]);
    const refused = send("https://login.test/", options);
    await expect(refused).rejects.toThrow(
      /^The proxy 127\.0\.0\.1:\d+ answered with status 403 for login\.test:443\.$/,
    );
    await expect(send("https://10.0.0.1/", options)).rejects.toThrow("10.0.0.1 is not a public address");
    names.set("named.test", ["127.0.0.1"]);
    expect((await send(`https://named.test:${port}/`)).text).toBe(`GET by named.test:${port}`);
    vi.unstubAllEnvs();
  });

  it("in Bun and Deno is checked by what its name resolves to", async () => {
    vi.stubGlobal("process", {
      ...process,
      getBuiltinModule: process.getBuiltinModule,
      versions: { node: "1", bun: "1" },
    });
    vi.spyOn(dns.promises, "lookup").mockResolvedValue([{ address: "10.0.0.1", family: 4 }] as never);
    const port = await serveHttp((_, response) => void response.end("fetched"));
    await expect(send("https://named.test/", { within: "public" })).rejects.toThrow("is not a public address");
    expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({ text: "fetched", reach: "loopback" });
    await expect(send("https://10.0.0.1/", { within: "public" })).rejects.toThrow("10.0.0.1 is not a public address");
    vi.unstubAllGlobals();
  });
});
