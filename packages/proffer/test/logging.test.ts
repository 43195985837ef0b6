import type { LogLevel } from "proffer";
import type { TestClient } from "proffer/testing";
import { expect, it } from "vitest";
import { LOG_LEVELS } from "../src/protocol/model.ts";
import server from "./fixtures/features.ts";
import { waitForCounts } from "./handler-counts.ts";
import { describeMatrix } from "./matrix.ts";
import { EVERY } from "./versions.ts";

/** The levels of the log messages that a call sends: one of each, and a second emergency. */
async function levelsHeard(client: TestClient, logLevel?: LogLevel): Promise<unknown[]> {
  const before = client.notifications.length;
  await client.call("chatter", undefined, logLevel === undefined ? {} : { logLevel });
  return client.notifications.slice(before).map(({ params }) => params.level);
}

function from(level: LogLevel): LogLevel[] {
  return [...LOG_LEVELS.slice(LOG_LEVELS.indexOf(level)), "emergency"];
}

describeMatrix({ server, module: "features.ts" }, EVERY, (leg) => {
  const perRequest = leg.revision >= "2026-07-28";

  if (perRequest)
    it("a request without a log level gets no messages", async () => {
      expect(await levelsHeard(leg.client)).toEqual([]);
    });

  if (perRequest)
    it.each(LOG_LEVELS)("a request with the level %s gets messages of that level and above", async (level) => {
      expect(await levelsHeard(leg.client, level)).toEqual(from(level));
    });

  if (!perRequest)
    it("the default level of a session is info", async () => {
      expect(await levelsHeard(await leg.connect())).toEqual(from("info"));
    });

  if (!perRequest)
    it.each(LOG_LEVELS)("a session with the level %s gets messages of that level and above", async (level) => {
      await leg.client.request("logging/setLevel", { level });
      expect(await levelsHeard(leg.client)).toEqual(from(level));
    });

  if (!perRequest)
    it.each(["loud", "", 1, null, undefined, "__proto__"])("the level %j is rejected", async (level) => {
      await expect(leg.client.request("logging/setLevel", { level })).rejects.toMatchObject({ code: -32602 });
    });

  it("a message has a level, a logger and data, and none follows the response", async () => {
    const client = await leg.connect();
    if (!perRequest) await client.request("logging/setLevel", { level: "alert" });
    await client.call("chatter", undefined, perRequest ? { logLevel: "alert" } : {});
    await waitForCounts(client, { late: 0 });
    expect(client.notifications).toEqual([
      { method: "notifications/message", params: { level: "alert", logger: "chatter", data: { level: "alert" } } },
      {
        method: "notifications/message",
        params: { level: "emergency", logger: "chatter", data: { level: "emergency" } },
      },
      { method: "notifications/message", params: { level: "emergency", data: null } },
    ]);
  });
});
