import { expect, it } from "vitest";
import type { JsonObject } from "../src/protocol/messages.ts";
import server from "./fixtures/features.ts";
import { describeMatrix } from "./matrix.ts";
import { EVERY } from "./versions.ts";

describeMatrix({ server, module: "features.ts" }, EVERY, (leg) => {
  it("is told under the token of the request, before its answer, with what the revision has of it", async () => {
    const heard: JsonObject[] = [];
    const onProgress = (progress: JsonObject) => heard.push(progress);
    const { content } = await leg.client.call("count", { to: 3, messages: true }, { onProgress });
    expect(content).toEqual([{ type: "text", text: "counted" }]);
    const token = heard[0]?.progressToken;
    const message = (n: number) => (leg.revision === "2024-11-05" ? {} : { message: `step ${n}` });
    expect(heard).toEqual([1, 2, 3].map((n) => ({ progressToken: token, progress: n, total: 3, ...message(n) })));
    expect(typeof token).toBe("number");
  });

  it.each(["text", "", 0, -1])("keeps the token %j as it is", async (progressToken) => {
    const before = leg.client.notifications.length;
    await leg.client.call("count", { to: 1 }, { _meta: { progressToken } });
    expect(leg.client.notifications.slice(before)).toEqual([
      { method: "notifications/progress", params: { progressToken, progress: 1 } },
    ]);
  });

  it.each([undefined, null, {}, true])("is not told without a token (%j)", async (progressToken) => {
    const before = leg.client.notifications.length;
    await leg.client.call("count", { to: 3 }, { _meta: { progressToken } });
    expect(leg.client.notifications.slice(before)).toEqual([]);
  });

  it("only ever grows, and stops when the request is answered", async () => {
    const heard: unknown[] = [];
    await leg.client.call("stumble", undefined, { onProgress: ({ progress, total }) => heard.push([progress, total]) });
    // The late one would come now.
    await new Promise((resolve) => setTimeout(resolve, 60));
    await leg.client.call("seen");
    expect(heard).toEqual([0, 0.5, 0.75].map((progress) => [progress, 0]));
  });

  it("is thinned out when it floods, but its last value is never lost", async () => {
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
