import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineTool } from "proffer";
import { connect } from "proffer/testing";
import { describe, expect, it } from "vitest";
import { REV_2024_11_05 } from "../src/protocol/revisions/2024-11-05.ts";
import { REV_2025_03_26 } from "../src/protocol/revisions/2025-03-26.ts";
import { REV_2025_06_18 } from "../src/protocol/revisions/2025-06-18.ts";
import { REV_2025_11_25 } from "../src/protocol/revisions/2025-11-25.ts";
import { REV_2026_07_28 } from "../src/protocol/revisions/2026-07-28.ts";
import type { Revision } from "../src/protocol/revisions/revision.ts";
import { createRevisions } from "../src/protocol/revisions/table.ts";
import { ServerState } from "../src/server/server.ts";
import { EVERY } from "./versions.ts";

/** A revision that does not exist, as its file would define it. */
const REV_2099_01_01: Revision = {
  ...REV_2026_07_28,
  version: "2099-01-01",
  methods: new Set([...REV_2026_07_28.methods, "ping"]),
  codes: { resource_not_found: -31404 },
  convert: { call: (result) => ({ ...result, content: result.content.slice(0, 1) }) },
  envelope: (server) => ({ kind: "final", by: server.name }),
};

/** The table of revisions with one more row. */
const revisions = createRevisions([
  ...[REV_2024_11_05, REV_2025_03_26, REV_2025_06_18, REV_2025_11_25, REV_2026_07_28],
  REV_2099_01_01,
]);

function createServer(): ServerState {
  const tool = defineTool({ name: "twice", handle: (_input, ctx) => ctx.client.revision });
  return new ServerState({ name: "ahead", version: "1.0.0", tools: [tool], resources: [] }, revisions);
}

describe("a future revision", () => {
  it("needs only one row and one object", async () => {
    const client = await connect(createServer(), { revision: "2099-01-01" });
    expect(await client.request("tools/call", { name: "twice" })).toEqual({
      kind: "final",
      by: "ahead",
      content: [{ type: "text", text: "2099-01-01" }],
    });
    expect(await client.request("ping")).toEqual({ kind: "final", by: "ahead" });
    await expect(client.read("ahead://nothing")).rejects.toMatchObject({ code: -31404 });
  });

  it("is listed in supportedVersions", async () => {
    const client = await connect(createServer(), { revision: "2026-07-28" });
    const { supportedVersions } = await client.request("server/discover");
    expect(supportedVersions).toEqual(["2026-07-28", "2099-01-01"]);
  });

  it("does not change older revisions", async () => {
    const server = createServer();
    for (const revision of EVERY) {
      const client = await connect(server, { revision });
      expect((await client.call("twice")).content).toEqual([{ type: "text", text: revision }]);
    }
  });
});

describe("the differences between revisions", () => {
  const folder = fileURLToPath(new URL("../src", import.meta.url));
  const files = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    // The testing client implements the revisions, and the table of clients says which ones they speak; all other code
    // receives its revision as a value.
    .filter((file) => !/^(?:protocol|testing)/.test(file));

  it.each([
    ["version in quotes", new RegExp(`["'\`](?:${EVERY.join("|")})["'\`]`)],
    ["comparison of a version", /\.version\s*(?:[=!]==?|[<>])/],
    ["revision by its name", /\bREV_\d/],
  ])("are data: no %s outside protocol/", (_what, pattern) => {
    expect(files.length).toBeGreaterThan(150);
    const found = files.filter((file) => pattern.test(codeOf(join(folder, file))));
    expect(found).toEqual([]);
  });
});

/** A file without its comments, which may mention versions. */
function codeOf(path: string): string {
  return readFileSync(path, "utf8").replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
}
