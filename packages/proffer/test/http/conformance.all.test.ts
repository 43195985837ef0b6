import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type HttpService, serveHttp } from "proffer/http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import server from "../../../../examples/conformance/server.ts";
import { engineOf } from "../../src/features/tasks/feature.ts";
import { stateOf } from "../../src/server/server.ts";
import { findOfficialTools, type OfficialTools } from "./official-tools.ts";

const found = findOfficialTools();
const tools = found as OfficialTools;
const missing = typeof found === "string";
if (missing) console.warn(`\n!!! THE CONFORMANCE SUITE DID NOT RUN: ${found}\n`);

let service: HttpService;
let url: string;

beforeAll(async () => {
  service = await serveHttp(server, { port: 0 });
  url = service.url.replace("127.0.0.1", "localhost");
});

afterAll(() => service.close());

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

/** Runs the suite; returns the number of scenarios and each check that did not pass. */
async function runSuite(
  ...args: string[]
): Promise<{ scenarios: number; passed: number; skipped: string[]; problems: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), "proffer-conformance-"));
  const { output } = await tools.run("conformance", "server", "--url", url, "-o", folder, ...args);
  const scenarios = readdirSync(folder);
  if (scenarios.length === 0) throw new Error(`the suite wrote no results:\n${output}`);
  const problems: string[] = [];
  const skipped: string[] = [];
  let passed = 0;
  for (const name of scenarios) {
    const checks = JSON.parse(readFileSync(join(folder, name, "checks.json"), "utf8")) as Check[];
    for (const { id, status, errorMessage } of checks) {
      if (status === "SUCCESS") passed++;
      else if (status === "SKIPPED" && name.startsWith("server-tasks-")) skipped.push(id);
      else if (status === "FAILURE" || status === "WARNING") problems.push(`${status} ${name} ${id}: ${errorMessage}`);
    }
  }
  rmSync(folder, { recursive: true });
  return { scenarios: scenarios.length, passed, skipped, problems };
}

describe.skipIf(missing)("the official conformance suite", { timeout: 600_000 }, () => {
  it.each([
    // The required scenarios, and the unscored ones: 3, and 13, of which 10 are those of tasks.
    ["--requirements", "2025-11-25", 33],
    ["--requirements", "2026-07-28", 50],
  ])("%s %s passes without a failure or a warning", async (flag, revision, scenarios) => {
    const { skipped, ...report } = await runSuite(flag, revision);
    expect(report).toEqual({ scenarios, passed: expect.any(Number), problems: [] });
    // The suite has no check for notifications of tasks yet; test/tasks/watch.test.ts has ours.
    expect(skipped.filter((id) => !/notification/.test(id))).toEqual([]);
  });

  it.each([
    ["2025-11-25", 33],
    ["2026-07-28", 40],
  ])("--suite all --spec-version %s passes without a failure or a warning", async (revision, scenarios) => {
    const { skipped: _, ...report } = await runSuite("--suite", "all", "--spec-version", revision);
    expect(report).toEqual({ scenarios, passed: expect.any(Number), problems: [] });
  });
});

describe.skipIf(missing)("the official scenarios for skills", { timeout: 600_000 }, () => {
  it.each([
    ["S1", "enumeration", 32],
    ["S2", "manifest", 6],
    ["S3", "directory", 7],
  ])("%s sep-2640-skills-%s passes its %i checks", async (_, name, passed) => {
    const report = await runSuite("--scenario", `sep-2640-skills-${name}`);
    expect(report).toEqual({ scenarios: 1, passed, skipped: [], problems: [] });
  });
});

describe.skipIf(missing)("the Inspector's command line", { timeout: 600_000 }, () => {
  const inspect = async (era: string, ...args: string[]) => {
    const { code, output } = await tools.run(
      "inspector",
      "--cli",
      url,
      "--protocol-era",
      era,
      "--format",
      "json",
      "-q",
      ...args,
    );
    expect({ code, output }).toMatchObject({ code: 0 });
    return JSON.parse(output.slice(output.indexOf("{"))).result;
  };

  it.each(["legacy", "modern", "auto"])("completes its tour in the %s era", async (era) => {
    expect((await inspect(era, "--method", "tools/list")).tools.length).toBeGreaterThan(20);
    const call = await inspect(era, "--method", "tools/call", "--tool-name", "test_simple_text");
    expect(call.content).toEqual([{ type: "text", text: "This is a simple text response for testing." }]);
    const read = await inspect(era, "--method", "resources/read", "--uri", "test://static-text");
    expect(read.contents[0].text).toBe("This is the content of the static text resource.");
    const prompt = await inspect(era, "--method", "prompts/get", "--prompt-name", "test_simple_prompt");
    expect(prompt.messages[0].content.text).toBe("This is a simple prompt for testing.");
    const { created = 0 } = (await engineOf(stateOf(server))).counters ?? {};
    const task = await inspect(
      era,
      "--method",
      "tools/call",
      "--tool-name",
      "slow_compute",
      "--tool-arg",
      "seconds=0.1",
    );
    expect(task.content).toEqual([{ type: "text", text: "Computed  in 0.1 s." }]);
    expect((await engineOf(stateOf(server))).counters.created).toBe(era === "legacy" ? created : created + 1);
    const { resourceTemplates } = await inspect(era, "--method", "resources/templates/list");
    // One is that of a skill.
    expect(resourceTemplates).toHaveLength(2);
  });
});
