import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { distFile } from "../dist.ts";
import { findOfficialTools, type OfficialTools } from "../http/official-tools.ts";

const found = findOfficialTools();
const tools = found as OfficialTools;
const missing = typeof found === "string";
if (missing) console.warn(`\n!!! THE CONFORMANCE SUITE DID NOT RUN: ${found}\n`);

const program = fileURLToPath(new URL("conformance-client.mjs", import.meta.url));

/** The scenarios that do not apply to the client, with the reason. */
const NOT_OFFERED: { readonly [scenario: string]: string } = {
  "auth/client-credentials-jwt":
    "an extension: a client proves its identity by its secret; signed assertions are not offered",
  "auth/enterprise-managed-authorization":
    "an extension: exchanges the token of a company's login, which no user of the client has",
  "auth/dpop": "an extension in draft: tokens are not bound to keys",
  "auth/dpop-nonce": "an extension in draft: tokens are not bound to keys",
  "auth/wif-jwt-bearer": "an extension in draft: identities of workloads are not offered",
  "sep-2640-client-no-prefetch": "an extension: the client has no skills, and the suite checks nothing without them",
  "sep-2640-client-verify-digest": "an extension: the client has no skills",
  "sep-2640-client-verify-size": "an extension: the client has no skills",
  "sep-2640-client-verify-frontmatter": "an extension: the client has no skills",
};

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

/** Runs the suite with `proffer/client`; returns the scenarios, and each check that did not pass. */
async function runSuite(...args: string[]) {
  distFile("client.js");
  const folder = mkdtempSync(join(tmpdir(), "proffer-client-conformance-"));
  // The suite splits the command at spaces.
  const command = `${process.execPath} ${program}`;
  const { output } = await tools.run(
    "conformance",
    "client",
    "--command",
    command,
    "--timeout",
    "120000",
    "-o",
    folder,
    ...args,
  );
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith("checks.json"),
  );
  if (files.length === 0) throw new Error(`the suite wrote no results:\n${output}`);
  const scenarios: string[] = [];
  const problems: string[] = [];
  for (const file of files) {
    const name = file.replaceAll("\\", "/").replace(/-\d{4}-\d\d-\d\dT[^/]*\/checks\.json$/, "");
    if (Object.hasOwn(NOT_OFFERED, name)) continue;
    scenarios.push(name);
    const checks = JSON.parse(readFileSync(join(folder, file), "utf8")) as Check[];
    if (!checks.some(({ status }) => status === "SUCCESS")) problems.push(`${name}: nothing was checked`);
    for (const { id, status, errorMessage } of checks) {
      if (status === "FAILURE" || status === "WARNING") problems.push(`${status} ${name} ${id}: ${errorMessage}`);
    }
  }
  rmSync(folder, { recursive: true });
  return { scenarios, problems };
}

describe.skipIf(missing)(
  "the official conformance suite, with proffer/client as the client",
  { timeout: 600_000 },
  () => {
    const run = new Set<string>();

    // Not all scenarios at once: beside 50 others, a busy machine misses the time limits of the suite.
    it.each([
      ["--requirements", "2025-11-25", 20],
      ["--requirements", "2026-07-28", 34],
      ["--scenario", "auth/2025-03-26-oauth-metadata-backcompat", 1],
      ["--scenario", "auth/2025-03-26-oauth-endpoint-fallback", 1],
    ])("%s %s passes without a failure or a warning", async (flag, value, count) => {
      const { scenarios, problems } = await runSuite(flag, value);
      expect({ count: scenarios.length, problems }).toEqual({ count, problems: [] });
      for (const name of scenarios) run.add(name);
    });

    it("has no other scenario, but those that do not apply", async () => {
      const { output } = await tools.run("conformance", "list", "--client");
      const names = [...output.matchAll(/^ +- (\S+) \[/gm)].map(([, name]) => name);
      expect(names.sort()).toEqual([...run, ...Object.keys(NOT_OFFERED)].sort());
    });
  },
);
