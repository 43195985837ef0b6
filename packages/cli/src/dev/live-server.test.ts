import { defineResource, defineServer, defineTool, field, type Server } from "proffer";
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

it("replaces handlers and fixed contents without notifying clients", async () => {
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

it("reports added, removed and changed items, and notifies clients", async () => {
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

it("lets the code of the newest version register items and notify clients", async () => {
  const live = createLiveServer(version("one"));
  const next = version("two");
  live.follow(next);
  const client = await connect(live.server, { revision: "2025-11-25" });
  const stop = await client.listen({ uris: ["a://fixed"] });
  next.tools.add(defineTool({ name: "later", handle: () => "later" }));
  next.notify("a://fixed");
  next.sendLog("notice", "from the newest version");
  expect((await client.waitFor("notifications/message")).params.data).toBe("from the newest version");
  await client.waitFor("notifications/tools/list_changed");
  await client.waitFor("notifications/resources/updated");
  expect((await client.listTools()).map(({ name }) => name)).toEqual(["say", "later"]);
  next.tools.remove("later");
  expect(await client.listTools()).toHaveLength(1);
  await stop.close();
  await client.close();
});

it.each(["2025-11-25", "2026-07-28"])("finishes a call on the version that it started on, on %s", async (revision) => {
  const asking = (word: string) =>
    defineServer({
      name: "live",
      version: "1.0.0",
      tools: [
        defineTool({
          name: "say",
          description: `Says ${word}.`,
          handle: async (_, ctx) => `${(await ctx.ask("Really?", { sure: field.boolean() })).action} ${word}`,
        }),
      ],
    });
  const live = createLiveServer(asking("one"));
  const client = await connect(live.server, {
    revision,
    answers: () => {
      live.follow(asking("two"));
      return { action: "accept", content: { sure: true } };
    },
  });
  expect((await client.call("say")).content).toMatchObject([{ text: "accept one" }]);
  expect((await client.call("say")).content).toMatchObject([{ text: "accept two" }]);
  await client.close();
});

it("removes the items that the code of an earlier version registered later", async () => {
  const first = version("one");
  const live = createLiveServer(first);
  const client = await connect(live.server, { revision: "2025-11-25" });
  first.tools.add(defineTool({ name: "later", handle: () => "one" }));
  expect(await client.listTools()).toHaveLength(2);
  const next = version("two");
  expect(live.follow(next)).toEqual({ added: [], removed: ["later"], changed: [] });
  next.tools.add(defineTool({ name: "later", handle: () => "two" }));
  expect((await client.call("later")).content).toMatchObject([{ text: "two" }]);
  await client.close();
});

it("follows a tool that an edit renames, by both names", async () => {
  const live = createLiveServer(version("one"));
  const client = await connect(live.server);
  const speak = defineTool({ name: "speak", was: ["say"], handle: () => "two" });
  const next = defineServer({ name: "live", version: "1.0.0", tools: [speak] });
  expect(live.follow(next)).toMatchObject({ added: ["speak"], removed: expect.arrayContaining(["say"]) });
  for (const name of ["say", "speak"]) expect(await client.call(name)).toMatchObject({ content: [{ text: "two" }] });
  expect(await client.listTools()).toMatchObject([{ name: "speak" }]);
  await client.close();
});
