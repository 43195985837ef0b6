import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const scripts = new URL("../../../scripts/house/", import.meta.url);

it("the tree keeps its budgets and import directions, its core names no feature, and docs/folders.md shows its folders", () => {
  const script = fileURLToPath(new URL("main.mjs", scripts));
  const { status, stderr } = spawnSync(process.execPath, [script, "--check"], { encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

describe("the check of import directions", async () => {
  const { wrongImports } = await import(new URL("directions.mjs", scripts).href);
  const run = "packages/proffer/src";
  const cli = "packages/cli/src";
  const page = "packages/inspector/src/page";

  function wrong(path: string, text: string): string[] {
    return wrongImports([{ path, text: `${text}\n` }]);
  }

  it.each([
    [`${run}/protocol/a.ts`, 'import { Call } from "../calls/call.ts";'],
    [`${run}/calls/a.ts`, 'export { dispatch } from "../server/dispatch.ts";'],
    [`${run}/calls/a.ts`, 'const load = () => import("../server/dispatch.ts");'],
    [`${run}/catalog/a.ts`, 'import { a, type B } from "../calls/client.ts";'],
    [`${run}/protocol/revisions/a.ts`, 'import * as server from "../../server/server.ts";'],
    [`${run}/server/a.ts`, 'import { createEngine } from "../features/tasks/engine.ts";'],
    [`${run}/server/a.ts`, 'import { memory } from "../nodes/memory.ts";'],
    [`${run}/tools/a.ts`, 'import type { Engine } from "../features/tasks/engine.ts";'],
    [`${run}/tools/a.ts`, 'const load = () => import("../features/tasks/engine.ts");'],
    [`${run}/calls/a.ts`, 'import type { Exchange } from "../transports/http/exchange.ts";'],
    [`${run}/features/tasks/a.ts`, 'import { select } from "../toolsets/feature.ts";'],
    [`${run}/transports/http/node/a.ts`, 'import { oauth } from "../../../oauth/oauth.ts";'],
    [`${run}/server/a.ts`, 'import { defineServer } from "../index.ts";'],
    [`${run}/unknown/a.ts`, 'import { memo } from "../support/memo.ts";'],
    [`${run}/tools-old/a.ts`, "export const a = 1;"],
    [`${cli}/terminal/a.ts`, 'import { load } from "../modules/load.ts";'],
    [`${cli}/lock/a.ts`, 'import { run } from "../commands/lock.ts";'],
    [`${cli}/derive/model/a.ts`, 'import { toSchema } from "../types/schema.ts";'],
    [`${page}/a.ts`, 'import { start } from "../server.ts";'],
    [`${page}/state/a.ts`, 'import { Command } from "commander";'],
    [`${page}/state/a.ts`, 'import { expand } from "proffer/uri";'],
    ["packages/inspector/src/a.ts", 'import { main } from "./page/main.tsx";'],
    ["packages/inspector/src/a.ts", 'import { load } from "@proffer/cli";'],
    ["packages/inspector/src/calls/a.ts", 'import type { Offer } from "@proffer/cli";'],
    ["packages/inspector/src/calls/a.ts", 'import { run } from "../../../cli/src/main.ts";'],
  ])("refuses in %s: %s", (path, text) => {
    expect(wrong(path, text)).toHaveLength(1);
  });

  it.each([
    [`${run}/calls/a.ts`, 'import type { Server } from "../server/server.ts";'],
    [`${run}/calls/a.ts`, 'import { memo } from "../support/memo.ts";\nimport { b } from "./call.ts";'],
    [`${run}/features/tasks/a.ts`, 'import { answer } from "../../server/dispatch.ts";'],
    [`${run}/features/tasks/a.ts`, 'import { memory } from "../../nodes/memory.ts";'],
    [`${run}/transports/http/node/a.ts`, 'import { Endpoint } from "../endpoint.ts";'],
    [`${run}/http.ts`, 'export { serveHttp } from "./transports/http/node/server.ts";'],
    [`${cli}/commands/a.ts`, 'import { a } from "../lock/lock-file.ts";'],
    [`${cli}/derive/types/a.ts`, 'import { a } from "../model/diagnostics.ts";'],
    [`${page}/state/a.ts`, 'import { useState } from "preact/hooks";\nimport { a } from "../api/client.ts";'],
    [`${page}/state/a.ts`, 'import type { CallState } from "../../protocol/data.ts";'],
    [
      "packages/inspector/src/calls/a.ts",
      'import { once } from "node:events";\nimport { tokensOf } from "proffer/derived";',
    ],
  ])("accepts in %s: %s", (path, text) => {
    expect(wrong(path, text)).toEqual([]);
  });
});

describe("the check of the names of features", async () => {
  const { wrongNames } = await import(new URL("directions.mjs", scripts).href);
  const run = "packages/proffer/src";

  it.each([
    [`${run}/catalog/pages.ts`, 'const isAuto = options.resourceTools === "auto";'],
    [`${run}/server/dispatch.ts`, "if (call.server.options.maxResult) cut(call);"],
    [`${run}/server/lifespan.ts`, 'const { tasks } = await import("./tasks-stub.ts");'],
    [`${run}/server/server.ts`, "readonly toolsets = new Set();"],
  ])("refuses in %s: %s", (path, text) => {
    expect(wrongNames([{ path, text }])).toHaveLength(1);
  });

  it.each([
    [`${run}/server/options.ts`, "readonly maxResult?: MaxResult;"],
    [`${run}/server/dispatch.ts`, "/** Comments may say why: toolsets. */\n  // So does `maxResult`."],
    [`${run}/features/tasks/engine.ts`, "const { task } = tool;"],
    ["packages/cli/src/build/build.ts", "const { toolsets } = options;"],
  ])("accepts in %s: %s", (path, text) => {
    expect(wrongNames([{ path, text }])).toEqual([]);
  });
});
