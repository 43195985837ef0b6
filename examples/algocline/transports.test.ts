import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type HttpService, serveHttp } from "proffer/http";
import { connectOver, type Link, type TestClient } from "proffer/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defineAlgocline } from "./algocline.ts";
import { bundleServer, overHttp, overStdio } from "./links.ts";
import { findPlaces } from "./places.ts";
import { FIXTURES } from "./temporary-home.ts";

const env = { ALC_HOME: join(FIXTURES, "home"), ALC_PROJECT_ROOT: join(FIXTURES, "project") };
const links: { [transport: string]: Link } = {};
let folder: string;
let service: HttpService;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "algocline-"));
  await bundleServer(join(folder, "server.mjs"));
  service = await serveHttp(defineAlgocline(findPlaces(env, FIXTURES)), { port: 0 });
  links.stdio = overStdio(join(folder, "server.mjs"), env);
  links.HTTP = overHttp(service.url);
});

afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

describe.each(["stdio", "HTTP"])("algocline over %s", (transport) => {
  describe.each(["2024-11-05", "2026-07-28"])("on %s", (revision) => {
    let client: TestClient;
    beforeAll(async () => {
      client = await connectOver(links[transport] as Link, { revision });
    });
    afterAll(() => client.close());

    it("lists its resources and templates", async () => {
      expect((await client.listResources()).map(({ uri }) => uri)).toContain("alc://types/alc.d.lua");
      expect((await client.listTemplates()).map(({ name }) => name)).toEqual([
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

    it("reads", async () => {
      const uri = "alc://types/alc.d.lua";
      expect((await client.read(uri)).contents).toEqual([{ uri, mimeType: "text/x-lua", text: "-- stub content" }]);
      const [samples] = (await client.read("alc://cards/cot_opus46_20260412T061500_a3f9c1/samples?limit=1")).contents;
      expect(samples?.text).toBe('[{"case":"add","passed":true}]');
      expect((await client.read("alc://packages/panel/meta")).contents[0]?.text).toContain("1.1.0-local");
    });

    it.each([
      ["https://example.com/foo", "invalid scheme: expected alc://, got https://example.com/foo"],
      ["alc://types/../etc/passwd", "path traversal segment rejected: .."],
      ["alc://unknown/x", "unknown service: unknown"],
      ["alc://cards/none", "card 'none' not found"],
      ["alc://logs/x?limit=10001", "query param 'limit=10001' on alc://logs/x?limit=10001 exceeds cap of 10000"],
    ])("refuses %s", async (uri, message) => {
      await expect(client.read(uri)).rejects.toMatchObject({ code: -32602, message });
    });

    it("completes", async () => {
      const ref = { type: "ref/resource", uri: "alc://scenarios/{name}" };
      expect(await client.complete(ref, "name", "m")).toEqual(["my_scenario"]);
    });
  });
});
