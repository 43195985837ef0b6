import type { TestClient } from "proffer/testing";
import { expect, it } from "vitest";
import { connectMemory } from "../src/transports/memory.ts";
import server from "./fixtures/features.ts";
import { describeMatrix } from "./matrix.ts";
import { EVERY, LEGACY } from "./versions.ts";

const ID = "io.modelcontextprotocol/subscriptionId";

/** Runs `cause` and returns the notifications that arrive because of it, of which there should be `count`. */
async function heard(client: TestClient, count: number, cause: () => Promise<unknown>): Promise<string[]> {
  const before = client.notifications.length;
  await cause();
  await expect.poll(() => client.notifications.length - before).toBeGreaterThanOrEqual(count);
  // Changes are sent at the end of the event-loop turn. A round trip to another process takes at least one turn.
  for (let turn = 0; turn < 2; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    await client.call("seen");
  }
  return client.notifications
    .slice(before)
    .map(({ method, params }) => [method.replace("notifications/", ""), params.uri].filter(Boolean).join(" "));
}

describeMatrix({ server, module: "features.ts" }, EVERY, (leg) => {
  const modern = leg.revision >= "2026-07-28";

  it.each(["tool", "prompt", "resource"])("the client is notified of an added or removed %s", async (kind) => {
    const client = await leg.connect();
    const stop = await client.listen({ lists: ["tools", "prompts", "resources"] });
    const change = { kind, name: `extra_${kind}_${leg.transport}_${leg.revision}` };
    expect(await heard(client, 1, () => client.call("add", change))).toEqual([`${kind}s/list_changed`]);
    expect(await heard(client, 1, () => client.call("remove", change))).toEqual([`${kind}s/list_changed`]);
    await stop.close();
  });

  it("many changes at once cause one notification", async () => {
    const client = await leg.connect();
    await client.listen({ lists: ["tools"], uris: ["features://motto"] });
    const told = await heard(client, 2, () => client.call("flood"));
    expect(told.sort()).toEqual(["resources/updated features://motto", "tools/list_changed"]);
  });

  it("updates are sent for subscribed resources only, until the client unsubscribes", async () => {
    const client = await leg.connect();
    const stop = await client.listen({ uris: ["features://motto", "features://birds/owl"] });
    const touch = (uri: string, count = 0) => heard(client, count, () => client.call("touch", { uri }));
    expect(await touch("features://motto", 1)).toEqual(["resources/updated features://motto"]);
    expect(await touch("features://birds/owl", 1)).toEqual(["resources/updated features://birds/owl"]);
    expect(await touch("features://birds/emu")).toEqual([]);
    expect(await touch("features://nowhere")).toEqual([]);
    await stop.close();
    expect(await touch("features://motto")).toEqual([]);
  });

  it.each(["features://nowhere", "", "features://birds", 1, null])("a subscription to %j is rejected", async (uri) => {
    const refused = modern
      ? leg.client.requestOnce("subscriptions/listen", { notifications: { resourceSubscriptions: [uri] } })
      : leg.client.request("resources/subscribe", { uri });
    const code = typeof uri === "string" && !modern ? -32002 : -32602;
    await expect(refused).rejects.toMatchObject({ code });
  });

  if (!modern)
    it("a second subscription has no effect, and a second unsubscription is not an error", async () => {
      const client = await leg.connect();
      const uri = "features://motto";
      for (let time = 0; time < 2; time++) await client.request("resources/subscribe", { uri });
      expect(await heard(client, 1, () => client.call("touch", { uri }))).toEqual([`resources/updated ${uri}`]);
      for (let time = 0; time < 2; time++) await client.request("resources/unsubscribe", { uri });
      expect(await heard(client, 0, () => client.call("touch", { uri }))).toEqual([]);
      await expect(client.request("resources/unsubscribe", {})).rejects.toMatchObject({ code: -32602 });
    });

  if (modern)
    it("each subscription is acknowledged first, with the accepted notifications, and has its id", async () => {
      const client = await leg.connect();
      const open = (notifications: object) => {
        const params = { notifications };
        client.requestOnce("subscriptions/listen", params).catch(() => {});
        return JSON.parse(client.transcript.messages("client").at(-1) ?? "").id as number;
      };
      const first = open({ toolsListChanged: true, promptsListChanged: false, unknown: true });
      const second = open({
        resourceSubscriptions: ["features://motto", "features://motto"],
        resourcesListChanged: true,
      });
      const third = open({});
      const acknowledged = (id: number, notifications: object) => ({
        method: "notifications/subscriptions/acknowledged",
        params: { notifications, _meta: { [ID]: id } },
      });
      await expect.poll(() => client.notifications.length).toBe(3);
      const byId = [...client.notifications].sort(
        ({ params: left }, { params: right }) => Number((left._meta as never)[ID]) - Number((right._meta as never)[ID]),
      );
      expect(byId).toEqual([
        acknowledged(first, { toolsListChanged: true }),
        acknowledged(second, { resourceSubscriptions: ["features://motto"], resourcesListChanged: true }),
        acknowledged(third, {}),
      ]);
      await client.call("flood");
      await expect.poll(() => client.notifications.length).toBe(5);
      const told = client.notifications.slice(3);
      expect(told).toContainEqual({
        method: "notifications/tools/list_changed",
        params: { _meta: { [ID]: first } },
      });
      expect(told).toContainEqual({
        method: "notifications/resources/updated",
        params: { uri: "features://motto", _meta: { [ID]: second } },
      });
    });

  if (modern)
    it("a subscription keeps the type of its id", async () => {
      const client = await leg.connect();
      const request = JSON.parse(client.transcript.messages("client")[0] ?? "");
      const params = { ...request.params, notifications: { toolsListChanged: true } };
      for (const id of ["7", 7, 0, ""]) {
        client.send(JSON.stringify({ jsonrpc: "2.0", id, method: "subscriptions/listen", params }));
        const { params: told } = await client.waitFor("notifications/subscriptions/acknowledged");
        expect(told._meta).toEqual({ [ID]: id });
      }
    });

  if (modern)
    it("no notification is sent without a subscription, or after it is cancelled", async () => {
      const client = await leg.connect();
      expect(await heard(client, 0, () => client.call("flood"))).toEqual([]);
      const stop = await client.listen({ lists: ["tools"] });
      await stop.close();
      expect(await heard(client, 0, () => client.call("flood"))).toEqual([]);
      const answered = client.transcript
        .messages("server")
        .some((text) =>
          text.includes('"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId"'),
        );
      expect(answered).toBe(false);
    });

  if (modern)
    it.each([undefined, null, [], "all", { resourceSubscriptions: "features://motto" }])(
      "a subscription with notifications of %j is rejected",
      async (notifications) => {
        await expect(leg.client.requestOnce("subscriptions/listen", { notifications })).rejects.toMatchObject({
          code: -32602,
        });
      },
    );
});

it.each(LEGACY)("in %s, list changes are sent only after notifications/initialized", async (revision) => {
  const raw: string[] = [];
  const told = () => raw.filter((text) => text.includes("tools/list_changed")).length;
  const connection = connectMemory(server, (text) => raw.push(text));
  const send = (message: object) => connection.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
  const clientInfo = { name: "c", version: "1" };
  send({ id: 1, method: "initialize", params: { protocolVersion: revision, capabilities: {}, clientInfo } });
  send({ id: 2, method: "tools/call", params: { name: "flood" } });
  await expect.poll(() => raw.length).toBe(2);
  // The changes of the flood would be sent at the end of the event-loop turn.
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
  expect(told()).toBe(0);
  send({ method: "notifications/initialized" });
  send({ id: 3, method: "tools/call", params: { name: "flood" } });
  await expect.poll(told).toBe(1);
  connection.close();
});
