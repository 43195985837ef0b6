import { chmodSync, existsSync, lstatSync, readdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parse as parseToml } from "smol-toml";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import { createProject, type Outcome, type Project } from "./project.ts";

let project: Project;

beforeAll(() => {
  project = createProject();
  project.write("tools.mjs", "/** Says. */", 'export const say = () => "said";');
});

beforeEach(() => rmSync(project.path("home"), { recursive: true, force: true }));

afterAll(() => project.remove());

const env = () => ({ XDG_CONFIG_HOME: project.path("home/.config"), APPDATA: project.path("home/AppData") });
const run = (...args: string[]) => project.profferWith({ env: env() }, ...args);
const command = () => ({
  command: process.execPath,
  args: [join(project.folder, "node_modules/proffer/dist/bin.js"), "serve", project.path("tools.mjs")],
});

/** The configuration file of each client on Linux and its expected content. */
const clients: [client: string, file: string, read: (text: string) => unknown, wanted: () => object][] = [
  ["claude-code", ".claude.json", JSON.parse, () => ({ mcpServers: { sample: { type: "stdio", ...command() } } })],
  [
    "claude-desktop",
    ".config/Claude/claude_desktop_config.json",
    JSON.parse,
    () => ({ mcpServers: { sample: command() } }),
  ],
  [
    "vscode",
    ".config/Code/User/mcp.json",
    JSON.parse,
    () => ({ servers: { sample: { type: "stdio", ...command() } } }),
  ],
  ["cursor", ".cursor/mcp.json", JSON.parse, () => ({ mcpServers: { sample: command() } })],
  ["windsurf", ".codeium/windsurf/mcp_config.json", JSON.parse, () => ({ mcpServers: { sample: command() } })],
  ["zed", ".config/zed/settings.json", JSON.parse, () => ({ context_servers: { sample: command() } })],
  ["gemini", ".gemini/settings.json", JSON.parse, () => ({ mcpServers: { sample: command() } })],
  [
    "goose",
    ".config/goose/config.yaml",
    parseYaml,
    () => ({
      extensions: {
        sample: {
          name: "sample",
          type: "stdio",
          cmd: command().command,
          args: command().args,
          envs: {},
          enabled: true,
          timeout: 300,
        },
      },
    }),
  ],
  ["codex", ".codex/config.toml", parseToml, () => ({ mcp_servers: { sample: command() } })],
];

describe.skipIf(process.platform !== "linux")("proffer install", () => {
  it.each(clients)("writes the configuration of %s, and uninstall removes it", async (client, file, read, wanted) => {
    const { status, stdout } = await run("install", "tools.mjs", "--client", client);
    expect(status).toBe(0);
    expect(stdout).toContain("+");
    const launcher = statSync(command().args[0] ?? "");
    const value = JSON.parse(
      JSON.stringify(read(project.read(`home/${file}`))).replaceAll(realLauncher(), command().args[0] ?? ""),
    );
    expect(launcher.isFile()).toBe(true);
    expect(value).toEqual(wanted());
    expect((await run("uninstall", "tools.mjs", "--client", client)).status).toBe(0);
    expect(JSON.stringify(read(project.read(`home/${file}`)))).not.toContain("sample");
  });
});

/** The real path of the launcher: Node resolves symbolic links of packages. */
function realLauncher(): string {
  return join(import.meta.dirname, "../../proffer/dist/bin.js");
}

describe("an existing configuration", () => {
  it("keeps its other content and comments, and is backed up", async () => {
    const before = ["{ // mine", '  "theme": "dark",', '  "mcpServers": { "other": { "command": "x" } }', "}"];
    project.write("home/.cursor/mcp.json", ...before);
    chmodSync(project.path("home/.cursor/mcp.json"), 0o640);
    await run("install", "tools.mjs", "--client", "cursor", "--name", "mine", "--env", "KEY=a=b");
    const after = project.read("home/.cursor/mcp.json");
    expect(after).toContain("{ // mine");
    expect(JSON.parse(after.replace("// mine", ""))).toMatchObject({
      theme: "dark",
      mcpServers: { other: { command: "x" }, mine: { env: { KEY: "a=b" } } },
    });
    expect(statSync(project.path("home/.cursor/mcp.json")).mode & 0o777).toBe(0o640);
    const backup = readdirSync(project.path("home/.cursor")).find((name) => name.endsWith(".bak"));
    expect(project.read(`home/.cursor/${backup}`)).toBe(`${before.join("\n")}\n`);
  });

  it("keeps its other content in TOML and YAML", async () => {
    project.write("home/.codex/config.toml", "# mine", 'model = "m"', "", "[mcp_servers.other]", 'command = "x" # why');
    project.write(
      "home/.config/goose/config.yaml",
      "# mine",
      "model: m",
      "extensions:",
      "  other: # why",
      "    cmd: x",
    );
    for (const [client, file] of [
      ["codex", ".codex/config.toml"],
      ["goose", ".config/goose/config.yaml"],
    ] as const) {
      const before = project.read(`home/${file}`);
      await run("install", "tools.mjs", "--client", client);
      for (const line of before.split("\n")) expect(project.read(`home/${file}`).split("\n")).toContain(line);
      await run("uninstall", "sample", "--client", client);
      expect(project.read(`home/${file}`)).toBe(before);
    }
  });

  it("stays a symbolic link", async () => {
    project.write("home/dotfiles/mcp.json", "{}");
    project.write("home/.cursor/other", "");
    symlinkSync(project.path("home/dotfiles/mcp.json"), project.path("home/.cursor/mcp.json"));
    await run("install", "tools.mjs", "--client", "cursor");
    expect(lstatSync(project.path("home/.cursor/mcp.json")).isSymbolicLink()).toBe(true);
    expect(project.read("home/dotfiles/mcp.json")).toContain("sample");
  });

  it("is created through a dangling link", async () => {
    project.write("home/dotfiles/other", "");
    project.write("home/.cursor/other", "");
    symlinkSync("../dotfiles/mcp.json", project.path("home/.cursor/mcp.json"));
    expect((await run("install", "tools.mjs", "--client", "cursor")).status).toBe(0);
    expect(lstatSync(project.path("home/.cursor/mcp.json")).isSymbolicLink()).toBe(true);
    expect(project.read("home/dotfiles/mcp.json")).toContain("sample");
    rmSync(project.path("home/dotfiles"), { recursive: true });
    const { status, stderr } = await run("install", "tools.mjs", "--client", "cursor");
    expect(status).toBe(1);
    expect(stderr).toContain(`the folder ${project.path("home/dotfiles")} does not exist`);
    expect(lstatSync(project.path("home/.cursor/mcp.json")).isSymbolicLink()).toBe(true);
  });

  it.each([
    ["cursor", ".cursor/mcp.json", '{ "mcpServers": [}', "is not valid JSON"],
    ["cursor", ".cursor/mcp.json", '{ "mcpServers": [] }', "mcpServers in"],
    ["cursor", ".cursor/mcp.json", "[]", "does not contain an object"],
    ["codex", ".codex/config.toml", "a = ", "is not valid TOML"],
    ["codex", ".codex/config.toml", "mcp_servers = { other = { command = 'x' } }", "cannot be edited safely"],
    ["goose", ".config/goose/config.yaml", "a: [", "is not valid YAML"],
  ])("is not changed by install --client %s if it is malformed: %s %s", async (client, file, text, message) => {
    project.write(`home/${file}`, text);
    const { status, stdout, stderr } = await run("install", "tools.mjs", "--client", client);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain(message);
    expect(project.read(`home/${file}`)).toBe(`${text}\n`);
    expect(readdirSync(join(project.path("home"), file, ".."))).toHaveLength(1);
  });

  it("is not changed by --dry-run", async () => {
    const { stdout, stderr } = await run("install", "tools.mjs", "--client", "zed", "--dry-run");
    expect(stdout).toContain("context_servers");
    expect(stderr).toContain("was not changed");
    expect(existsSync(project.path("home/.config"))).toBe(false);
  });
});

describe("a process that crashes", () => {
  /** Kills the process when it calls this function of `fs` for a file beside the configuration. */
  function crashAt(name: string, file: string): Outcome {
    project.write(
      "crash.mjs",
      'import fs from "node:fs";',
      'import { syncBuiltinESMExports } from "node:module";',
      `const original = fs.${name};`,
      `fs.${name} = (...args) => {`,
      `  if (typeof args[0] === "number" || String(args[0]).startsWith(${JSON.stringify(file)})) {`,
      `    if (${JSON.stringify(name)} === "writeFileSync" && typeof args[0] === "number") original(args[0], "half");`,
      '    process.kill(process.pid, "SIGKILL");',
      "  }",
      "  return original(...args);",
      "};",
      "syncBuiltinESMExports();",
    );
    const options = `--import=${pathToFileURL(project.path("crash.mjs")).href}`;
    return project.profferProcess(
      { env: { ...env(), NODE_OPTIONS: options } },
      "install",
      "tools.mjs",
      "--client",
      "cursor",
    );
  }

  it("leaves the old file, and its lock does not stop the next one", async () => {
    const file = project.path("home/.cursor/mcp.json");
    project.write("home/.cursor/mcp.json", '{ "theme": "dark" }');
    for (const name of ["copyFileSync", "fsyncSync", "renameSync"]) {
      expect(crashAt(name, file).status).toBe(null);
      expect(project.read("home/.cursor/mcp.json")).toBe('{ "theme": "dark" }\n');
      expect(existsSync(`${file}.lock`)).toBe(true);
    }
    expect((await run("install", "tools.mjs", "--client", "cursor")).status).toBe(0);
    expect(JSON.parse(project.read("home/.cursor/mcp.json"))).toMatchObject({
      theme: "dark",
      mcpServers: { sample: {} },
    });
    expect(existsSync(`${file}.lock`)).toBe(false);
  });
});

describe("install", () => {
  it.each(["a&touch pwned.mjs", "$(touch pwned).mjs", "--upload-pack=x.mjs"])(
    "starts %s without a shell",
    async (file) => {
      project.write(file, "/** Says. */", 'export const say = () => "said";');
      expect((await run("install", `./${file}`, "--client", "cursor", "--name", "mine")).status).toBe(0);
      const { mine } = JSON.parse(project.read("home/.cursor/mcp.json")).mcpServers;
      expect(mine.args.at(-1)).toBe(project.path(file));
      await run("install", `./${file}`, "--client", "cursor", "--name", "mine", "--project");
      expect(JSON.parse(project.read(".cursor/mcp.json")).mcpServers.mine.args.at(-1)).toMatch(/^[^-]/);
      expect(existsSync(project.path("pwned"))).toBe(false);
    },
  );

  it("never replaces an entry that starts another module, and proposes a name", async () => {
    project.write("shop.mjs", "/** Sells. */", 'export const sell = () => "sold";');
    const install = (file: string, ...flags: string[]) => run("install", file, "--client", "cursor", ...flags);
    expect((await install("tools.mjs")).status).toBe(0);
    const before = project.read("home/.cursor/mcp.json");
    const refused = await install("shop.mjs");
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain(`is another server: ${project.path("tools.mjs")}. Nothing was changed.`);
    expect(refused.stderr).toContain("Add --name shop for this one, or --replace to replace that one.");
    expect(project.read("home/.cursor/mcp.json")).toBe(before);
    expect((await install("tools.mjs", "--env", "A=b")).status).toBe(0);
    expect((await install("shop.mjs", "--name", "shop")).status).toBe(0);
    expect((await install("shop.mjs", "--replace")).status).toBe(0);
    const { mcpServers } = JSON.parse(project.read("home/.cursor/mcp.json"));
    const modules = Object.entries(mcpServers).map(([name, entry]) => [
      name,
      (entry as { args: string[] }).args.at(-1),
    ]);
    expect(modules.sort()).toEqual([
      ["sample", project.path("shop.mjs")],
      ["shop", project.path("shop.mjs")],
    ]);
    // A server of somebody else.
    project.write("home/.cursor/mcp.json", '{ "mcpServers": { "sample": { "url": "https://a.example/mcp" } } }');
    expect((await install("tools.mjs")).stderr).toContain("is another server: https://a.example/mcp.");
    // The project was moved: its earlier place is gone.
    const moved = { command: "node", args: ["bin.js", "serve", "/gone/tools.mjs"] };
    project.write("home/.cursor/mcp.json", JSON.stringify({ mcpServers: { sample: moved } }));
    expect((await install("tools.mjs")).status).toBe(0);
  });

  it("uses the own name of a server, and absolute paths for settings", async () => {
    project.write(
      "named.ts",
      'import { defineServer } from "proffer";',
      'import { defineSettings } from "proffer/settings";',
      "export const settings = defineSettings<{",
      "  /** @secret */ TOKEN: string; /** @default crm.db */ DB: string; /** @default gpt-4.1 */ MODEL: string; LOG?: string;",
      "}>();",
      'export const server = defineServer({ name: "own-name", version: "1.0.0" });',
      "/** One. */",
      "export const one = () => 1;",
    );
    const { status, stderr } = await run(
      "install",
      "named.ts",
      "--client",
      "cursor",
      "--env",
      "LOG=./log",
      "--env",
      "TOKEN=x",
    );
    expect([status, stderr]).toEqual([0, expect.stringContaining(`DB is ${project.path("crm.db")}`)]);
    const { mcpServers } = JSON.parse(project.read("home/.cursor/mcp.json"));
    expect(mcpServers["own-name"].env).toEqual({ LOG: project.path("log"), TOKEN: "x", DB: project.path("crm.db") });
    await run("install", "named.ts", "--client", "cursor", "--project", "--env", "LOG=./log");
    expect(JSON.parse(project.read(".cursor/mcp.json")).mcpServers["own-name"].env).toEqual({ LOG: "./log" });
  });

  it.each(["a&calc", "$(x)", "--upload-pack=x", "-x"])("rejects the name %s", async (name) => {
    const { status, stderr } = await run("install", "tools.mjs", "--client", "cursor", `--name=${name}`);
    expect(status).toBe(1);
    expect(stderr).toContain("Invalid server name");
  });
});

it("install --project writes no absolute paths", async () => {
  await run("install", "tools.mjs", "--client", "vscode", "--project");
  expect(JSON.parse(project.read(".vscode/mcp.json"))).toEqual({
    servers: { sample: { type: "stdio", command: "npx", args: ["proffer", "serve", "tools.mjs"] } },
  });
});

it("uninstall rejects an unknown server, and install rejects a module that cannot be served", async () => {
  expect((await run("uninstall", "absent", "--client", "cursor")).stderr).toContain(
    'has no server "absent". Its servers: none.',
  );
  project.write("broken.mjs", "export {");
  expect(await run("install", "broken.mjs", "--client", "cursor")).toMatchObject({ status: 1, stdout: "" });
  expect(existsSync(project.path("home/.cursor"))).toBe(false);
});
