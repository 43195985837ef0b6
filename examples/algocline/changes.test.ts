import { rm } from "node:fs/promises";
import { connect, type TestClient } from "proffer/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { defineAlgocline } from "./algocline.ts";
import { createHome, type TemporaryHome } from "./temporary-home.ts";
import { urisOf } from "./watch-home.ts";

const SESSION = "1a2b3c4d-0001-0000-0000-000000000000";
const UPDATED = "notifications/resources/updated";
const LIST_CHANGED = "notifications/resources/list_changed";

describe.each(["2024-11-05", "2025-11-25", "2026-07-28"])("file changes on %s", (revision) => {
  let home: TemporaryHome;
  let client: TestClient;

  beforeEach(async () => {
    home = createHome();
    client = await connect(defineAlgocline(home.places), { revision });
  });

  afterEach(async () => {
    await client.close();
    home.remove();
  });

  /** Writes until the notification arrives: the watcher starts in the background. */
  async function writeUntil(heard: Promise<unknown>, write: (round: number) => Promise<void>): Promise<void> {
    let done = false;
    const end = heard.then(() => {
      done = true;
    });
    for (let round = 0; !done; round++) {
      await write(round);
      await Promise.race([end, new Promise((resolve) => setTimeout(resolve, 100))]);
    }
  }

  const updated = (uri: string) => client.waitFor(UPDATED, ({ params }) => params.uri === uri);

  it("notify the subscribers of the file, also with a query in the URI", async () => {
    const uris = ["alc://scenarios/my_scenario", `alc://logs/${SESSION}?limit=1`, "alc://packages/cot/meta"];
    await client.listen({ uris });
    const all = Promise.all(uris.map(updated));
    await writeUntil(all, async (round) => {
      await home.write("scenarios/my_scenario.lua", `-- ${round}`);
      await home.write(`logs/${SESSION}.json`, `{ "round": ${round} }`);
      await home.write("packages/cot/init.lua", `M.meta = { name = "cot", version = "${round}" }`);
    });
    await all;
    expect((await client.read("alc://scenarios/my_scenario")).contents[0]?.text).toMatch(/^-- \d/);
  });

  it("notify clients when files are created and deleted", async () => {
    await client.listen({ lists: ["resources"] });
    const came = client.waitFor(LIST_CHANGED);
    await writeUntil(came, (round) => home.write(`cards/cot/new_${round}.toml`, ""));
    const cards = async () => (await client.listResources()).filter(({ uri }) => uri.includes("cards/new_"));
    expect((await cards()).length).toBeGreaterThan(0);
    await rm(home.path("cards/cot"), { recursive: true });
    await expect.poll(cards).toEqual([]);
  });

  it("cannot be subscribed to when the resource does not exist", async () => {
    await expect(client.listen({ uris: ["alc://scenarios/none"] })).rejects.toMatchObject({
      code: -32602,
      message: "Scenario 'none' not found",
    });
  });
});

it.each([
  ["types/alc.d.lua", ["alc://types/alc.d.lua"]],
  ["types/other.lua", []],
  ["packages/cot/init.lua", ["alc://packages/cot/init.lua", "alc://packages/cot/meta", "alc://hub/index"]],
  ["packages/cot/narrative.md", ["alc://packages/cot/narrative"]],
  ["packages/cot/lib/init.lua", []],
  ["cards/cot/a$&.toml", ["alc://cards/a$&"]],
  ["cards/cot/a.samples.jsonl", ["alc://cards/a/samples"]],
  ["cards/_aliases.toml", []],
  ["scenarios/a.lua", ["alc://scenarios/a"]],
  ["evals/a_1.json", ["alc://eval/a_1"]],
  ["logs/a.json", ["alc://logs/a"]],
  ["state/a.json", []],
])("the file %s is the source of %j", (path, uris) => {
  expect(urisOf(path)).toEqual(uris);
});
