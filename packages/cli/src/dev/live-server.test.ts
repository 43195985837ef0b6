import { defineResource, defineServer, defineTool, type Server } from "proffer";
import { connect } from "proffer/testing";
import { expect, it } from "vitest";
import { createLiveServer } from "./live-server.ts";

function version(word: string, description = "Says."): Server {
  return defineServer({
    name: "live",
    version: "1.0.0",
    tools: [defineTool({ name: "say", description, handle: () => word })],
    resources: [
      defineResource({ uri: "a://fixed", name: "Fixed", content: word }),
      defineResource({ uri: "a://{id}", name: "Any", read: ({ id }) => `${word} ${id}` }),
    ],
  });
}

it("replaces what runs without a word to clients, fixed contents too", async () => {
  const live = createLiveServer(version("one"));
  const client = await connect(live.server, { revision: "2025-11-25" });
  const all = async () => [
    (await client.call("say")).content[0],
    (await client.read("a://fixed")).contents[0],
    (await client.read("a://7")).contents[0],
  ];
  expect(await all()).toMatchObject([{ text: "one" }, { text: "one" }, { text: "one 7" }]);
  expect(live.follow(version("two"))).toEqual({ added: [], removed: [], changed: [] });
  expect(await all()).toMatchObject([{ text: "two" }, { text: "two" }, { text: "two 7" }]);
  expect(client.notifications).toEqual([]);
  await client.close();
});

it("tells what was added, removed and changed", async () => {
  const live = createLiveServer(version("one"));
  const client = await connect(live.server, { revision: "2025-11-25" });
  const next = defineServer({
    name: "live",
    version: "1.0.0",
    tools: [
      defineTool({ name: "say", description: "Says it better.", handle: () => "two" }),
      defineTool({ name: "more", handle: () => "more" }),
    ],
    resources: [defineResource({ uri: "a://fixed", name: "Fixed", content: "two" })],
  });
  expect(live.follow(next)).toEqual({ added: ["more"], removed: ["a://{id}"], changed: ["say"] });
  await client.waitFor("notifications/tools/list_changed");
  await client.waitFor("notifications/resources/list_changed");
  expect((await client.listTools()).map(({ description }) => description)).toEqual(["Says it better.", undefined]);
  await client.close();
});

it("lets the code of the newest version register and notify", async () => {
  const live = createLiveServer(version("one"));
  const next = version("two");
  live.follow(next);
  const client = await connect(live.server, { revision: "2025-11-25" });
  const stop = await client.listen({ uris: ["a://fixed"] });
  next.tools.add(defineTool({ name: "later", handle: () => "later" }));
  next.notify("a://fixed");
  await client.waitFor("notifications/tools/list_changed");
  await client.waitFor("notifications/resources/updated");
  expect((await client.listTools()).map(({ name }) => name)).toEqual(["say", "later"]);
  next.tools.remove("later");
  expect(await client.listTools()).toHaveLength(1);
  await stop();
  await client.close();
});
