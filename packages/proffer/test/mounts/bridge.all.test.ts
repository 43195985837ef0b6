import { serveHttp } from "proffer/http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Bundle, bundleFixture } from "../fixture-process.ts";
import { createUpstream } from "../fixtures/upstream.ts";
import { EVERY } from "../versions.ts";
import { answers, type Crossing, cross, journey } from "./journey.ts";

/** How to reach the mounted server over each transport, and how to end it. */
const TRANSPORTS: { readonly [name: string]: () => Promise<[Crossing["upstream"], () => Promise<unknown>]> } = {
  async HTTP() {
    const { url, close } = await serveHttp(createUpstream(), { port: 0 });
    return [url, close];
  },
  async stdio() {
    const { path, remove }: Bundle = await bundleFixture("upstream.ts");
    return [{ command: process.execPath, args: [path] }, async () => remove()];
  },
};

describe.each(Object.entries(TRANSPORTS))("a mounted server over %s", (transport, start) => {
  let upstream: Crossing["upstream"];
  let end: () => Promise<unknown>;
  beforeAll(async () => {
    [upstream, end] = await start();
  });
  afterAll(() => end());

  describe.each(EVERY)("of %s", (behind) => {
    it.each(EVERY)("serves a client of %s", async (front) => {
      // Streamable HTTP came with 2025-03-26.
      const over = front === "2024-11-05" || transport === "stdio" ? "memory" : "http";
      const crossing: Crossing = { upstream, behind, front, over };
      const { client, close } = await cross(crossing, { answers });
      await journey(client, crossing);
      if (transport === "stdio") {
        expect(await client.call("up_die")).toMatchObject({ isError: true });
        // The next call starts it again.
        expect((await client.call("up_echo", { text: "again" })).isError).toBeFalsy();
      }
      await close();
    });
  });
});
