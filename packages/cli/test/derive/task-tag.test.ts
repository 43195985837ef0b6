import { afterAll, describe, expect, test } from "vitest";
import { createDeriver } from "../../src/derive/deriver.ts";
import { createWorkspace } from "./workspace.ts";

const workspace = createWorkspace();
const deriver = createDeriver(workspace.path("input.ts"));

afterAll(() => workspace.remove());

/** The task of a tool with these tags, or the errors with their places. */
function derive(tags: string) {
  workspace.write({ "input.ts": `/**\n * Copies.\n * ${tags}\n */\nexport const copy = () => 1;\n` });
  const { tools, diagnostics } = deriver.derive();
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length === 0) return tools[0]?.task;
  expect(tools).toEqual([]);
  return errors.map(({ code, line, column, message }) => `${code} ${line}:${column} ${message}`);
}

describe("@task", () => {
  test.each([
    ["@task", {}],
    ["@task required", { required: true }],
    ["@task after 2s", { after: 2000 }],
    ["@task background", { after: "background" }],
    ["@task poll 0.5 s required ttl 8h", { pollInterval: 500, required: true, ttl: 28_800_000 }],
    ["@task polling after 2s", { polling: "auto", after: 2000 }],
    ["@task polling always", { polling: "always" }],
    ["@task after 1m\n * @timeout 2m", { after: 60_000 }],
    ["@title Copy", undefined],
  ])("%s", (tags, task) => {
    expect(derive(tags)).toEqual(task);
  });

  test.each([
    ["@task requird", 'has the unknown option "requird". Did you mean required?'],
    ["@task true", 'has the unknown option "true". It must be any of: required'],
    ["@task 2s", 'has the unknown option "2s"'],
    ["@task after", 'needs a time with a unit, such as 500ms, 30s, 5m or 1h after the word after, not ""'],
    ["@task ttl 3600", 'after the word ttl, not "3600"'],
    ["@task ttl 0s", 'after the word ttl, not "0s"'],
    ["@task ttl 99999999999999h", 'has a time that is too long: ttl "99999999999999h"'],
    ["@task __proto__", 'has the unknown option "__proto__"'],
  ])("reports %s as PF1250", (tags, problem) => {
    const [error] = derive(tags) as string[];
    expect(error).toMatch(/^PF1250 3:4 'copy': @task /);
    expect(error).toContain(problem);
  });

  test.each([
    ["@task after 2s background", "@task has two of after and background. Keep one of them."],
    ["@task polling always polling", "@task sets polling twice. Remove one of them."],
    ["@task ttl 1h ttl 2h", "@task sets ttl twice. Remove one of them."],
    ["@task poll 2h ttl 1h", "@task has a time to poll that is not shorter than ttl"],
    [
      "@task after 5s\n * @timeout 2s",
      "@task waits 5000 ms for a plain result, but @timeout ends the call after 2000 ms",
    ],
  ])("reports %j as PF1251", (tags, problem) => {
    expect(derive(tags)).toEqual([expect.stringContaining(`PF1251 3:4 'copy': ${problem}`)]);
  });
});
