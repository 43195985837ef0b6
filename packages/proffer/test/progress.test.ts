import type { JsonObject } from "proffer/testing";
import { expect, it } from "vitest";
import server from "./fixtures/features.ts";
import { waitForCounts } from "./handler-counts.ts";
import { describeMatrix } from "./matrix.ts";
import { EVERY } from "./versions.ts";

describeMatrix({ server, module: "features.ts" }, EVERY, (leg) => {
  it("is sent with the token of the request, before its response, with the properties of the revision", async () => {
    const heard: JsonObject[] = [];
    const onProgress = (progress: JsonObject) => heard.push(progress);
    const { content } = await leg.client.call("count", { to: 3, messages: true }, { onProgress });
    expect(content).toEqual([{ type: "text", text: "counted" }]);
    const token = heard[0]?.progressToken;
    const message = (n: number) => (leg.revision === "2024-11-05" ? {} : { message: `step ${n}` });
    expect(heard).toEqual([1, 2, 3].map((n) => ({ progressToken: token, progress: n, total: 3, ...message(n) })));
    expect(typeof token).toBe("number");
  });

  it.each(["text", "", 0, -1])("is sent with the token %j unchanged", async (progressToken) => {
    const before = leg.client.notifications.length;
    await leg.client.call("count", { to: 1 }, { _meta: { progressToken } });
    expect(leg.client.notifications.slice(before)).toEqual([
      { method: "notifications/progress", params: { progressToken, progress: 1 } },
    ]);
  });

  it.each([undefined, null, {}, true])("is not sent without a valid token (%j)", async (progressToken) => {
    const before = leg.client.notifications.length;
    await leg.client.call("count", { to: 3 }, { _meta: { progressToken } });
    expect(leg.client.notifications.slice(before)).toEqual([]);
  });

  it("only increases, and stops when the request is answered", async () => {
    const heard: unknown[] = [];
    await leg.client.call("stumble", undefined, { onProgress: ({ progress, total }) => heard.push([progress, total]) });
    await waitForCounts(leg.client, { late: 0 });
    expect(heard).toEqual([0, 0.5, 0.75].map((progress) => [progress, 0]));
  });

  it("is throttled in a flood, but its last value is always sent", async () => {
    const heard: number[] = [];
    const to = 20_000;
    await leg.client.call("count", { to }, { onProgress: ({ progress }) => heard.push(progress as number) });
    expect(heard.length).toBeGreaterThanOrEqual(100);
    expect(heard.length).toBeLessThan(to / 2);
    expect(heard.slice(0, 100)).toEqual(Array.from({ length: 100 }, (_, n) => n + 1));
    expect(heard.at(-1)).toBe(to);
    expect(heard).toEqual([...heard].sort((left, right) => left - right));
  });
});
