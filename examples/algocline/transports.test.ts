import { join } from "node:path";
import { expect, it } from "vitest";
import { describeTransports } from "../transports.ts";
import { FIXTURES } from "./temporary-home.ts";

const LUA = "text/x-lua";
const JSON_TYPE = "application/json";
const CARD = "cot_opus46_20260412T061500_a3f9c1";
const BARE_CARD = "3f4b1a2c-0001-0000-0000-000000000000";
const SESSION = "1a2b3c4d-0001-0000-0000-000000000000";

describeTransports(
  {
    module: new URL("./server.ts", import.meta.url),
    env: { ALC_HOME: join(FIXTURES, "home"), ALC_PROJECT_ROOT: join(FIXTURES, "project") },
    revisions: ["2024-11-05", "2026-07-28"],
  },
  (leg) => {
    it("lists its resources and templates", async () => {
      const { resources, nextCursor } = await leg.client.request("resources/list");
      expect(resources).toMatchObject(
        ["alc://types/alc.d.lua", "alc://types/alc_shapes.d.lua", "alc://hub/index"]
          .map((uri): object => ({ uri }))
          .concat(Array((resources as object[]).length - 3).fill({ uri: expect.stringMatching(/^alc:/) })),
      );
      expect(nextCursor).toBeUndefined();
      expect((await leg.client.listTemplates()).map(({ name }) => name)).toEqual([
        "package-init-lua",
        "package-meta",
        "card",
        "card-samples",
        "scenario",
        "eval-result",
        "session-log",
        "package-narrative",
      ]);
    });

    it.each([
      ["alc://types/alc.d.lua", LUA, /^-- stub content$/],
      ["alc://packages/cot/init.lua", LUA, /name = "cot"/],
      ["alc://packages/panel/init.lua", LUA, /1\.1\.0-local/],
      ["alc://packages/cot/meta", JSON_TYPE, /"version":"0\.3\.0"/],
      ["alc://packages/cot/narrative", "text/markdown", /^# cot\n/],
      [`alc://cards/${CARD}`, JSON_TYPE, /"card_id":"cot_opus46/],
      [`alc://cards/${CARD}/samples?offset=0&limit=1`, JSON_TYPE, /^\[\{"case":"add","passed":true\}\]$/],
      [`alc://cards/${BARE_CARD}/samples`, JSON_TYPE, /^\[\]$/],
      ["alc://scenarios/my_scenario", LUA, /^return /],
      ["alc://eval/mystrategy_1745000000", JSON_TYPE, /^\{ "strategy": "mystrategy"/],
      [`alc://logs/${SESSION}?limit=1&max_chars=10000`, JSON_TYPE, /"truncated":\s*true/],
    ])("reads %s as %s", async (uri, mimeType, text) => {
      const { contents } = await leg.client.read(uri);
      expect(contents).toMatchObject([{ uri, mimeType, text: expect.stringMatching(text) }]);
    });

    it.each([
      ["https://example.com/foo", "invalid scheme: expected alc://, got https://example.com/foo"],
      ["alc://unknown/x", "unknown service: unknown"],
      ["alc://types/../etc/passwd", "path traversal segment rejected: .."],
      ["alc://cards/", "missing path segment in alc://cards/"],
      ["alc://cards/x?=bad", "invalid query: empty key in query of alc://cards/x?=bad"],
      ["alc://types/sub/file.lua", "resource not found: alc://types/sub/file.lua"],
      ["alc://cards/none", "card 'none' not found"],
      ["alc://eval/none_1", "Eval result not found: none_1"],
      ["alc://logs/none", "Log file not found for session 'none'"],
      ["alc://cards/bad&id", "card_id 'bad&id' on alc://cards/bad&id contains reserved character '&'"],
      ["alc://scenarios/a b", "scenario name 'a b' on alc://scenarios/a b contains reserved character ' '"],
      ["alc://cards/é", "card_id 'é' on alc://cards/é contains unsupported character 'é'"],
      ["alc://types/alc.d.lua?x=1", "query params not supported on alc://types/alc.d.lua?x=1"],
      ["alc://logs/x?limit=10001", "query param 'limit=10001' on alc://logs/x?limit=10001 exceeds cap of 10000"],
      [
        "alc://logs/x?limit=abc",
        "invalid query param 'limit=abc' on alc://logs/x?limit=abc: invalid digit found in string",
      ],
    ])("refuses %s", async (uri, message) => {
      await expect(leg.client.read(uri)).rejects.toMatchObject({ code: -32602, message });
    });

    it("completes", async () => {
      const ref = { type: "ref/resource", uri: "alc://scenarios/{name}" };
      expect(await leg.client.complete(ref, "name", "m")).toEqual(["my_scenario"]);
    });
  },
);
