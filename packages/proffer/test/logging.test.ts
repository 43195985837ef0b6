import { expect, it } from "vitest";
import { LOG_LEVELS, type LogLevel } from "../src/protocol/model.ts";
import type { TestClient } from "../src/testing/client.ts";
import server from "./fixtures/features.ts";
import { describeMatrix } from "./matrix.ts";
import { EVERY } from "./versions.ts";

/** The levels of the log messages that a call sends, of which there is one each and one more emergency. */
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
    it("nothing is told to a request that did not ask for it", async () => {
      expect(await levelsHeard(leg.client)).toEqual([]);
    });

  if (perRequest)
    it.each(LOG_LEVELS)("a request that asks for %s hears of that and worse", async (level) => {
      expect(await levelsHeard(leg.client, level)).toEqual(from(level));
    });

  if (!perRequest)
    it("until a level is set, it is info", async () => {
      expect(await levelsHeard(await leg.connect())).toEqual(from("info"));
    });

  if (!perRequest)
    it.each(LOG_LEVELS)("a session that set %s hears of that and worse", async (level) => {
      await leg.client.request("logging/setLevel", { level });
      expect(await levelsHeard(leg.client)).toEqual(from(level));
    });

  if (!perRequest)
    it.each(["loud", "", 1, null, undefined, "__proto__"])("the level %j is refused", async (level) => {
      await expect(leg.client.request("logging/setLevel", { level })).rejects.toMatchObject({ code: -32602 });
    });

  it("a message carries its level, its logger and its data, and nothing follows the answer", async () => {
    const client = await leg.connect();
    if (!perRequest) await client.request("logging/setLevel", { level: "alert" });
    await client.call("chatter", undefined, perRequest ? { logLevel: "alert" } : {});
    // The late one would come now.
    await new Promise((resolve) => setTimeout(resolve, 60));
    await client.call("seen");
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
