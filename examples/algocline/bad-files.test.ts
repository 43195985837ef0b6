import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type TestClient } from "proffer/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { describeModule } from "../transports.ts";
import { defineAlgocline } from "./algocline.ts";
import { createHome, environmentOf, type TemporaryHome } from "./temporary-home.ts";

let home: TemporaryHome;
let client: TestClient;

beforeEach(async () => {
  home = createHome();
  client = await connect(defineAlgocline(home.places, { log: () => undefined }));
});

afterEach(() => home.remove());

const uris = async () => (await client.listResources()).map(({ uri }) => uri);

describe("an installation with bad files", () => {
  it("reports a card that is not TOML", async () => {
    await home.write("cards/cot/bad.toml", "card_id = \n");
    await expect(client.read("alc://cards/bad")).rejects.toMatchObject({
      code: -32603,
      message: expect.stringMatching(/^Failed to parse card 'bad': Invalid TOML document/),
    });
  });

  it("keeps hostile keys of a card as plain data", async () => {
    await home.write("cards/cot/odd.toml", '__proto__ = { admin = true }\nconstructor = "x"\n');
    const [content] = (await client.read("alc://cards/odd")).contents;
    expect(content?.text).toBe('{"__proto__":{"admin":true},"constructor":"x"}');
  });

  it("reports the line of a sample that is not JSON, unless the page ends before it", async () => {
    await home.write("cards/cot/bad.toml", "");
    await home.write("cards/cot/bad.samples.jsonl", '{"n":1}\n{"n":\n{"n":3}\n');
    await expect(client.read("alc://cards/bad/samples")).rejects.toMatchObject({
      code: -32603,
      message: "Failed to parse sample line 2: it is not JSON",
    });
    expect((await client.read("alc://cards/bad/samples?limit=1")).contents[0]?.text).toBe('[{"n":1}]');
  });

  it("does not read the samples of a deleted card", async () => {
    await home.write("cards/cot/orphan.samples.jsonl", "{}\n");
    await expect(client.read("alc://cards/orphan/samples")).rejects.toThrow("card 'orphan' not found");
  });

  it("reports a malformed alc.local.toml, without a fallback", async () => {
    await writeFile(join(String(home.places.project), "alc.local.toml"), "[packages.panel\n");
    await expect(client.read("alc://packages/panel/init.lua")).rejects.toMatchObject({
      code: -32603,
      message: expect.stringMatching(/^pkg_read_init_lua: malformed alc\.local\.toml at .*project: Invalid TOML/),
    });
  });

  it.each([
    ["has no table", "return {}"],
    ["has no name", 'M.meta = { name = "", version = "1" }'],
    ["has no end", 'M.meta = { name = "x'],
  ])("finds no metadata in a package that %s", async (_, source) => {
    await home.write("packages/odd/init.lua", source);
    await expect(client.read("alc://packages/odd/meta")).rejects.toMatchObject({
      code: -32602,
      message: "resource not found: alc://packages/odd/meta",
    });
  });

  it("sends an evaluation that is not JSON unchanged, and also a log that fits", async () => {
    await home.write("evals/bad_1.json", "{");
    await home.write("logs/bad.json", "{".repeat(100));
    expect((await client.read("alc://eval/bad_1")).contents[0]?.text).toBe("{");
    expect((await client.read("alc://logs/bad")).contents[0]?.text).toHaveLength(100);
    await expect(client.read("alc://logs/bad?max_chars=99")).rejects.toMatchObject({ code: -32603 });
  });
});

describe("symbolic links", () => {
  it.each([
    ["scenarios/out.lua", "alc://scenarios/out", "out.lua"],
    ["evals/out_1.json", "alc://eval/out_1", "out_1.json"],
    ["logs/out.json", "alc://logs/out", "out.json"],
    ["types/alc_shapes.d.lua", "alc://types/alc_shapes.d.lua", "alc_shapes.d.lua"],
    ["cards/cot/out.toml", "alc://cards/out", "cot/out.toml"],
    ["packages/cot/narrative.md", "alc://packages/cot/narrative", "narrative.md"],
  ])("may not leave their folder: %s", async (name, uri, shown) => {
    const secret = join(home.places.home, "..", "secret");
    await writeFile(secret, "secret");
    await rm(home.path(name), { force: true });
    await symlink(secret, home.path(name));
    await expect(client.read(uri)).rejects.toMatchObject({
      code: -32602,
      message: `Path '${shown}' escapes base directory`,
    });
    if (!uri.startsWith("alc://types/")) expect(await uris()).not.toContain(uri);
  });

  it("may point to another file of the same folder, and are ignored when broken", async () => {
    await symlink("my_scenario.lua", home.path("scenarios/alias.lua"));
    await symlink("none.lua", home.path("scenarios/broken.lua"));
    await symlink("loop.lua", home.path("scenarios/loop.lua"));
    expect((await client.read("alc://scenarios/alias")).contents[0]?.text).toMatch(/^return/);
    await expect(client.read("alc://scenarios/broken")).rejects.toThrow("Scenario 'broken' not found");
    await expect(client.read("alc://scenarios/loop")).rejects.toThrow("Scenario 'loop' not found");
    expect((await uris()).filter((uri) => uri.startsWith("alc://scenarios/"))).toEqual([
      "alc://scenarios/alias",
      "alc://scenarios/my_scenario",
    ]);
  });

  it("may point to a package in another folder", async () => {
    const folder = await mkdtemp(join(tmpdir(), "linked-"));
    await writeFile(join(folder, "init.lua"), 'M.meta = { name = "linked" }');
    await symlink(folder, home.path("packages/linked"));
    expect((await client.read("alc://packages/linked/meta")).contents[0]?.text).toContain('"name":"linked"');
    await rm(folder, { recursive: true });
    await expect(client.read("alc://packages/linked/init.lua")).rejects.toThrow("pkg not found: linked");
  });
});

it("ignores a folder with the name of a file", async () => {
  await home.write("scenarios/folder.lua/x", "");
  await expect(client.read("alc://scenarios/folder")).rejects.toThrow("Scenario 'folder' not found");
});

it("serves a missing home as an empty one", async () => {
  home.remove();
  expect(await uris()).toEqual(["alc://types/alc.d.lua", "alc://types/alc_shapes.d.lua", "alc://hub/index"]);
  expect((await client.read("alc://hub/index")).contents[0]?.text).toBe('{"packages":[],"more":false}');
  await expect(client.read("alc://types/alc.d.lua")).rejects.toMatchObject({
    code: -32602,
    message: "resource not found: alc://types/alc.d.lua",
  });
  await expect(client.read("alc://cards/x")).rejects.toThrow("card 'x' not found");
  await expect(client.read("alc://logs/x")).rejects.toThrow("Log file not found for session 'x'");
});

describe("a broken installation", () => {
  const broken = createHome();

  beforeAll(async () => {
    await writeFile(join(String(broken.places.project), "alc.local.toml"), "[packages.panel\n");
    await writeFile(join(broken.places.home, "..", "secret"), "secret");
    await symlink(join(broken.places.home, "..", "secret"), broken.path("scenarios/out.lua"));
    await broken.write("cards/cot/bad.toml", "card_id = \n");
    await broken.write("cards/cot/half.toml", "");
    await broken.write("cards/cot/half.samples.jsonl", '{"n":1}\n{"n":\n');
  });

  afterAll(() => broken.remove());

  const module = new URL("./server.ts", import.meta.url);
  describeModule({ module, env: environmentOf(broken), revisions: ["2024-11-05", "2026-07-28"] }, (leg) => {
    it.each([
      ["alc://packages/panel/init.lua", -32603, /^pkg_read_init_lua: malformed alc\.local\.toml at /],
      ["alc://scenarios/out", -32602, /^Path 'out\.lua' escapes base directory$/],
      ["alc://cards/bad", -32603, /^Failed to parse card 'bad': Invalid TOML document/],
      ["alc://cards/half/samples", -32603, /^Failed to parse sample line 2: it is not JSON$/],
    ])("rejects %s with %i", async (uri, code, message) => {
      await expect(leg.client.read(uri)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    });
  });
});
