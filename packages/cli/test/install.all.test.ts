import { once } from "node:events";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parse as parseToml } from "smol-toml";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import { createProject, type Project } from "./project.ts";

let project: Project;

beforeAll(() => {
  project = createProject();
  project.write("tools.mjs", "/** Says. */", 'export const say = () => "said";');
});

beforeEach(() => rmSync(project.path("home"), { recursive: true, force: true }));

afterAll(() => project.remove());

const env = () => ({ XDG_CONFIG_HOME: project.path("home/.config"), APPDATA: project.path("home/AppData") });

/** A client for each format, and its configuration file on Linux. */
const clients: [client: string, file: string, read: (text: string) => unknown][] = [
  ["cursor", ".cursor/mcp.json", JSON.parse],
  ["codex", ".codex/config.toml", parseToml],
  ["goose", ".config/goose/config.yaml", parseYaml],
];
const names = ["a", "b", "c", "d", "e", "f"];

describe.skipIf(process.platform !== "linux").each(clients)("six concurrent processes for %s", (client, file, read) => {
  it("all install their server, and all uninstall it", async () => {
    await runAll(names.map((name) => ["install", "tools.mjs", "--client", client, "--name", name]));
    const text = project.read(`home/${file}`);
    for (const name of names) expect(Object.values(read(text) as object)[0]).toHaveProperty(name);
    // Each process kept a backup of the file before its change; the first one created it.
    const others = readdirSync(join(project.path(`home/${file}`), "..")).filter((name) => !file.endsWith(name));
    expect(others.map((name) => name.replace(/^.*\./, "."))).toEqual(Array(names.length - 1).fill(".bak"));
    await runAll(names.map((name) => ["uninstall", name, "--client", client]));
    expect(Object.values((read(project.read(`home/${file}`)) ?? {}) as object)[0] ?? {}).toEqual({});
  });
});

/** Runs commands concurrently and expects them to succeed. */
async function runAll(commands: readonly string[][]): Promise<void> {
  const children = commands.map((args) => project.startWith({ env: env() }, ...args));
  const codes = await Promise.all(children.map(async (child) => (await once(child, "close"))[0]));
  expect(codes).toEqual(commands.map(() => 0));
}
