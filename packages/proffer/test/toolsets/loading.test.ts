import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { distFile } from "../dist.ts";
import { probe } from "../probe.ts";

it.each([
  ["without", "plain", false],
  ["with scopes, shows and items that name a toolset, but without", "shows", false],
  ["with", "toolsets", true],
])("a server %s the option toolsets loads their code: %s", async (_what, server, isLoaded) => {
  expect(readdirSync(join(dirname(distFile("index.js")), "shared"))).toContain("toolsets.js");
  const { loaded } = await probe<{ loaded: string[] }>("toolsets/probe-loading.mjs", [server]);
  expect(loaded).toContain("core.js");
  expect(loaded.includes("toolsets.js")).toBe(isLoaded);
});

it("a request with ?toolsets= loads it", async () => {
  const { loaded } = await probe<{ loaded: string[] }>("toolsets/probe-loading.mjs", ["plain", "?toolsets=default"]);
  expect(loaded).toContain("toolsets.js");
});
