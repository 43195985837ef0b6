import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { stylesFor } from "../terminal/terminal.ts";
import { CLIENTS } from "./clients.ts";
import { planConfig } from "./config-file.ts";
import { formatDifference } from "./difference.ts";

const SECRET = "s3cr3t-value-4711";
const folder = mkdtempSync(join(tmpdir(), "proffer-hidden-"));
const file = join(folder, "config");
const env = { KEY: SECRET, PIN: "1234", TEXT: `-----BEGIN\n${SECRET}\n` };

afterAll(() => rmSync(folder, { recursive: true }));

function plan(client: "cursor" | "codex" | "goose", before: string) {
  writeFileSync(file, before);
  const entry = CLIENTS[client].toEntry({ command: "node", args: ["tools.ts"], env }, "mine");
  return planConfig(file, CLIENTS[client], () => ({ name: "mine", entry }));
}

describe("install hides the secrets", () => {
  it.each([
    [
      "cursor",
      `{ "mcpServers": { "a": {\n"env": { "API": "${SECRET}", "N": 7 },\n"args": ["--token", "${SECRET}", "--api-key=abc", "--key", "xyz"],\n"headers": { "X": "5678" } } } }`,
    ],
    ["codex", `apiKey = "${SECRET}"\n[mcp_servers.a]\ncommand = "x"\nenv = { API = "${SECRET}", B = "5678" }`],
    ["goose", `extensions:\n  a:\n    envs:\n      API: ${SECRET}\n      B: "5678"\n`],
  ] as const)("of the new server and of others, in the difference for %s", (client, before) => {
    const { before: old, after, hide } = plan(client, before);
    const shown = String(formatDifference(old, after, stylesFor(process.stdout), hide));
    expect(after).toContain(SECRET);
    expect(shown).toContain("KEY");
    expect(shown).toContain("tools.ts");
    for (const each of [SECRET, "1234", "5678", "abc", "xyz"]) expect(shown).not.toContain(each);
  });

  it.each([
    ["a malformed file", `token = "${SECRET}" x`, /^\S+ is not valid TOML: .* at line 1, column \d+\. Fix it first/],
    ["a file that cannot be edited", "mcp_servers = { other = { command = 'x' } }", /by hand:\n[\s\S]*"KEY": "\*\*\*"/],
  ])("in the error for %s", (_, before, message) => {
    expect(() => plan("codex", before)).toThrow(message);
    expect(() => plan("codex", before)).not.toThrow(SECRET);
  });
});

describe("install does not change", () => {
  const other = join(folder, "other");
  const decide = () => ({ name: "mine", entry: { command: "node" } });

  it("a file with bytes that are not UTF-8: they would be written back as other text", () => {
    writeFileSync(other, Buffer.from('{ "a": "\xff" }', "latin1"));
    expect(() => planConfig(other, CLIENTS.cursor, decide)).toThrow(/cannot be read: .*encoded data was not valid/);
  });

  it.each([
    ["cursor", 65_536],
    ["codex", 1024],
    ["goose", 256],
  ] as const)("a file of %s with more than %s KiB", (client, kib) => {
    writeFileSync(other, "");
    truncateSync(other, kib * 1024 + 1);
    expect(() => planConfig(other, CLIENTS[client], decide)).toThrow(`cannot be read: it has more than ${kib} KiB.`);
  });

  it.skipIf(process.platform === "win32")("what is no file, such as a device that never ends", () => {
    expect(() => planConfig("/dev/zero", CLIENTS.cursor, decide)).toThrow("cannot be read: it is not a regular file.");
  });
});

it("shows no line of a large file that has thousands of secrets", () => {
  const secrets = Array.from({ length: 1000 }, (_, at) => [`K${at}`, `${SECRET}-${at}`]);
  const { before, after, hide } = plan("cursor", JSON.stringify({ env: Object.fromEntries(secrets) }));
  const shown = String(formatDifference(before, after, stylesFor(process.stdout), hide));
  expect(shown).toMatch(/^- \(\d{5} characters\)$/m);
  expect(shown).not.toContain(SECRET);
});
