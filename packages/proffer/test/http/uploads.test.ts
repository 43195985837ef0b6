import net, { type Socket } from "node:net";
import { createFetchHandler } from "proffer/fetch";
import { type HttpService, serveHttp } from "proffer/http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { uploads } from "../../src/transports/http/exchange.ts";
import { JSON_REQUEST, modern, modernHeaders, postModern, toBytes } from "./http-client.ts";
import { openWorkshop } from "./workshop.ts";

const { max } = uploads;
const PART = 100_000;
const { server } = openWorkshop();
const echo = (size: number) => modern("tools/call", { name: "echo", arguments: { message: "x".repeat(size) } });

let service: HttpService;
const sockets: Socket[] = [];

beforeEach(async () => {
  service = await serveHttp(server, { port: 0, trustedProxies: ["127.0.0.1"] });
  uploads.max = 20 * PART;
});

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  uploads.max = max;
  await service.close(0);
});

/** Sends all but the last byte of a large request; returns the number of bytes of its body. */
function sendPart(): number {
  const message = echo(PART);
  // Each is of another caller.
  const caller = { "x-forwarded-for": `203.0.113.${sockets.length}` };
  const bytes = toBytes(message, { ...modernHeaders(message), ...caller });
  const socket = net.connect(service.port, "127.0.0.1").on("error", () => {});
  socket.write(bytes.subarray(0, -1));
  sockets.push(socket);
  return JSON.stringify(message).length - 1;
}

describe("large requests that do not arrive completely", () => {
  it("leave room for others: a further large one gets 503, small ones are served, and the bytes are released", async () => {
    let sent = 0;
    for (let n = 0; n < 18; n++) sent += sendPart();
    await expect.poll(() => uploads.bytes).toBe(sent);
    expect(await postModern(service.url, echo(3 * PART))).toMatchObject({
      status: 503,
      headers: { "retry-after": "1" },
      json: { error: { code: -31000 } },
    });
    expect((await postModern(service.url, echo(10))).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => uploads.bytes).toBe(0);
    expect((await postModern(service.url, echo(3 * PART))).status).toBe(200);
    expect(uploads.bytes).toBe(0);
  });

  it("are limited in a fetch handler too", async () => {
    const handle = createFetchHandler(server);
    const body = (chunks: number) =>
      new ReadableStream({
        start(stream) {
          for (let n = 0; n < chunks; n++) stream.enqueue(new Uint8Array(PART));
        },
      });
    const post = (chunks: number) =>
      handle(
        new Request("http://localhost/mcp", {
          method: "POST",
          headers: JSON_REQUEST,
          body: body(chunks),
          duplex: "half",
        } as RequestInit),
      );
    void post(19);
    await expect.poll(() => uploads.bytes).toBe(19 * PART);
    expect((await post(2)).status).toBe(503);
    expect(uploads.bytes).toBe(19 * PART);
    uploads.bytes = 0;
  });
});
