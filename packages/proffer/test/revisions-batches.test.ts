import type { TestClient } from "proffer/testing";
import { expect, it } from "vitest";
import server from "./fixtures/features.ts";
import { describeMatrix } from "./matrix.ts";
import { LEGACY, MODERN } from "./versions.ts";

type Json = Record<string, unknown>;

function echo(id: unknown, text: string): Json {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name: "echo", arguments: { text } } };
}

/** A request that names its revision. */
function describing(version: string): Json {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return { jsonrpc: "2.0", id: "m", method: "tools/list", params: { _meta } };
}

/** Sends one text and returns the server's response, which must be one message or one batch. */
async function answer(client: TestClient, sent: unknown): Promise<Json | Json[]> {
  const before = client.transcript.messages("server").length;
  client.send(JSON.stringify(sent));
  await expect.poll(() => client.transcript.messages("server").length).toBe(before + 1);
  return JSON.parse(client.transcript.messages("server")[before] ?? "");
}

describeMatrix({ server, module: "features.ts" }, LEGACY, (leg) => {
  const batches = leg.revision === "2025-03-26";
  /** An error that belongs to no request: over HTTP it has no id, elsewhere the id is null before 2025-11-25. */
  const noId = leg.transport === "HTTP" || leg.revision >= "2025-11-25" ? {} : { id: null };
  const refusal = (message: unknown) => ({ jsonrpc: "2.0", ...noId, error: { code: -32600, message } });

  if (batches)
    it("a batch is answered by a batch, in which notifications have no part", async () => {
      const unknown = { jsonrpc: "2.0", method: "notifications/nothing" };
      const answers = (await answer(leg.client, [echo("a", "A"), unknown, echo("b", "B")])) as Json[];
      expect(answers).toHaveLength(2);
      expect(answers).toEqual(
        expect.arrayContaining([
          { jsonrpc: "2.0", id: "a", result: { content: [{ type: "text", text: "A" }] } },
          { jsonrpc: "2.0", id: "b", result: { content: [{ type: "text", text: "B" }] } },
        ]),
      );
    });

  if (batches)
    it("each wrong message of a batch has its own error", async () => {
      const wrong = { jsonrpc: "1.0", id: "w", method: "ping" };
      const answers = await answer(leg.client, [echo("a", "A"), wrong, { jsonrpc: "2.0", id: "n", method: "nothing" }]);
      expect(answers).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ id: "a", result: expect.anything() }),
          expect.objectContaining({ id: "w", error: expect.objectContaining({ code: -32600 }) }),
          expect.objectContaining({ id: "n", error: expect.objectContaining({ code: -32601 }) }),
        ]),
      );
    });

  if (batches)
    it("a request of a batch that is cancelled is not waited for", async () => {
      const wait = { jsonrpc: "2.0", id: "w", method: "tools/call", params: { name: "wait" } };
      const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "w" } };
      expect(await answer(leg.client, [wait, echo("a", "A"), cancel])).toMatchObject([{ id: "a" }]);
    });

  if (batches)
    it.each([
      ["an empty batch", []],
      ["more than a hundred messages", Array.from({ length: 101 }, (_, n) => echo(`n${n}`, ""))],
      ["an initialize", [{ jsonrpc: "2.0", id: "i", method: "initialize", params: {} }]],
    ])("%s is refused as a whole", async (_what, batch) => {
      expect(await answer(leg.client, batch)).toEqual(refusal(expect.any(String)));
    });

  it.each(MODERN)("a batch with a request of %s is refused, because that revision has no batches", async (version) => {
    const request = describing(version);
    const message = `Protocol version ${version} does not support batches; send the messages one by one.`;
    expect(await answer(leg.client, [request])).toEqual(refusal(message));
    expect(await answer(leg.client, [echo("a", "A"), request])).toEqual(refusal(message));
  });

  if (batches)
    it("a request that names an unknown version cannot be part of a batch", async () => {
      expect(await answer(leg.client, [describing("2099-01-01")])).toEqual(refusal(expect.stringContaining("_meta")));
    });

  if (batches)
    it("a batch of notifications alone has no answer", async () => {
      const before = leg.client.transcript.messages("server").length;
      leg.client.send(JSON.stringify([{ jsonrpc: "2.0", method: "notifications/nothing" }]));
      await leg.client.request("ping");
      expect(leg.client.transcript.messages("server").length).toBe(before + 1);
    });

  if (!batches)
    it("a batch is refused where there are none", async () => {
      const message = `Protocol version ${leg.revision} does not support batches; send the messages one by one.`;
      expect(await answer(leg.client, [echo("a", "A")])).toEqual(refusal(message));
    });
});

describeMatrix({ server, module: "features.ts" }, MODERN, (leg) => {
  const message = `Protocol version ${leg.revision} does not support batches; send the messages one by one.`;

  it("a batch is refused as a whole, and the next request is served", async () => {
    for (const batch of [[describing(leg.revision)], [describing(leg.revision), describing(leg.revision)]]) {
      expect(await answer(leg.client, batch)).toEqual({ jsonrpc: "2.0", error: { code: -32600, message } });
    }
    expect(await leg.client.call("echo", { text: "A" })).toMatchObject({ content: [{ text: "A" }] });
  });

  if (leg.transport === "HTTP")
    it.each([
      ["empty", []],
      ["of messages without a version", [echo("a", "A")]],
      ["of notifications", [{ jsonrpc: "2.0", method: "notifications/nothing" }]],
    ])("a batch %s is refused by the version in the header", async (_what, batch) => {
      expect(await answer(leg.client, batch)).toEqual({ jsonrpc: "2.0", error: { code: -32600, message } });
    });
});
