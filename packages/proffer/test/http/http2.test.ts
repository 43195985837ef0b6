import { once } from "node:events";
import http2 from "node:http2";
import type { AddressInfo } from "node:net";
import { defineServer, defineTool } from "proffer";
import { createNodeHandler } from "proffer/http";
import { afterEach, expect, it } from "vitest";
import { modern, modernHeaders, present } from "./http-client.ts";

const closers: (() => void)[] = [];
let begun = 0;
let aborted = 0;
/** Ends the stream of the call that begins. */
let onBegin: (() => void) | undefined;

afterEach(() => {
  for (const close of closers.splice(0)) close();
  begun = 0;
  aborted = 0;
  onBegin = undefined;
});

/** A client over HTTP/2 of a server whose tool waits until it is cancelled. */
async function connect() {
  const hang = defineTool({
    name: "hang",
    handle(_, { signal }) {
      begun++;
      const ended = new Promise<void>((resolve) => {
        signal.addEventListener("abort", () => {
          aborted++;
          resolve();
        });
      });
      onBegin?.();
      return ended;
    },
  });
  const server = defineServer({ name: "hanging", version: "1", tools: [hang], log: () => {} });
  const handler = createNodeHandler(server, { maxInFlight: 10 });
  const h2 = http2.createServer((request, response) => {
    handler(request as never, response as never);
    // Before the handler listens to the end of a call that goes on.
    onBegin = () => request.stream.destroy();
  });
  await once(h2.listen(0, "127.0.0.1"), "listening");
  const client = http2.connect(`http://127.0.0.1:${(h2.address() as AddressInfo).port}`);
  closers.push(
    () => h2.close(),
    () => client.destroy(),
  );
  const send = (message: ReturnType<typeof modern>) => {
    const headers = present(modernHeaders(message)) as http2.OutgoingHttpHeaders;
    const stream = client.request({ ":method": "POST", ":path": "/mcp", ":authority": "localhost", ...headers });
    stream.on("error", () => {}).end(JSON.stringify(message));
    return stream;
  };
  const call = () => send(modern("tools/call", { name: "hang", arguments: {} }));
  const status = async () => {
    const stream = send(modern("tools/list"));
    const [headers] = await once(stream, "response");
    stream.resume();
    return headers[":status"];
  };
  return { call, status, server };
}

it("does not start the call of a stream that was reset with it", async () => {
  const { call, status } = await connect();
  for (let i = 0; i < 30; i++) call().close(http2.constants.NGHTTP2_CANCEL);
  expect(await status()).toBe(200);
  expect(begun).toBe(0);
});

it("cancels the call of a stream that ends in the turn in which it starts", async () => {
  const { call, status, server } = await connect();
  for (let i = 1; i <= 10; i++) {
    call();
    await expect.poll(() => begun).toBe(i);
  }
  expect(await status()).toBe(200);
  expect(aborted).toBe(10);
  expect(server.metrics().http?.calls).toBe(0);
});
