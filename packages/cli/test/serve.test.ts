import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { distFile } from "../../proffer/test/dist.ts";

const project = mkdtempSync(join(tmpdir(), "proffer-serve-"));

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};

beforeAll(() => {
  distFile("index.js", "cli");
  mkdirSync(join(project, "node_modules"));
  const runtime = fileURLToPath(new URL("../../proffer", import.meta.url));
  symlinkSync(runtime, join(project, "node_modules/proffer"), "junction");
});

afterAll(() => rmSync(project, { recursive: true, force: true }));

function write(name: string, ...lines: string[]): void {
  writeFileSync(join(project, name), `${lines.join("\n")}\n`);
}

function proffer(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [distFile("bin.js"), ...args], {
    cwd: project,
    encoding: "utf8",
    input: `${JSON.stringify(initialize)}\n`,
  });
  return { status, stdout, stderr };
}

/** Serves `file` to a client that says initialize and leaves; returns the name that the server gave. */
function serverName(file: string): string {
  const { status, stdout, stderr } = proffer("serve", file);
  expect({ status, stderr }).toMatchObject({ status: 0 });
  return JSON.parse(stdout).result.serverInfo.name;
}

describe("proffer serve, with a module that default-exports a server", () => {
  const server = 'import { defineServer } from "proffer";';

  it.each(["server.js", "server.mjs"])("serves %s over stdio", (file) => {
    write("package.json", '{ "type": "module" }');
    write(file, server, 'export default defineServer({ name: "plain", version: "1.0.0" });');
    expect(serverName(file)).toBe("plain");
  });

  it.each(["server.ts", "server.mts"])("serves %s without a build", (file) => {
    write(file, server, 'const name: string = "typed";', 'export default defineServer({ name, version: "1.0.0" });');
    expect(serverName(file)).toBe("typed");
  });

  it("finds x.ts where TypeScript imports ./x.js", () => {
    write("names.ts", 'export const name = "imported" satisfies string;');
    write(
      "imports.ts",
      server,
      'import { name } from "./names.js";',
      'export default defineServer({ name, version: "1.0.0" });',
    );
    expect(serverName("imports.ts")).toBe("imported");
  });

  it("keeps what the module prints off stdout", () => {
    write(
      "chatty.ts",
      'import { writeSync } from "node:fs";',
      server,
      'console.log("from console");',
      'writeSync(1, "from fs\\n");',
      'export default defineServer({ name: "chatty", version: "1.0.0" });',
    );
    const { stdout, stderr } = proffer("serve", "chatty.ts");
    expect(JSON.parse(stdout)).toMatchObject({ id: 1, result: { serverInfo: { name: "chatty" } } });
    expect(stderr).toContain("from console");
    expect(stderr).toContain("from fs");
  });

  it("ends with its client although the module holds a timer", () => {
    write(
      "timer.ts",
      server,
      "setInterval(() => {}, 1000);",
      'export default defineServer({ name: "timer", version: "1.0.0" });',
    );
    expect(serverName("timer.ts")).toBe("timer");
  });
});

describe("proffer serve, with a module that it cannot serve, exits with 1, keeps stdout empty and", () => {
  function failure(file: string): string {
    const { status, stdout, stderr } = proffer("serve", file);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    return stderr;
  }

  it("names a file that does not exist", () => {
    const stderr = failure("absent.ts");
    expect(stderr).toContain("absent.ts does not exist");
    expect(stderr).toContain("relative to the current directory");
  });

  it("refuses a folder", () => {
    expect(failure("node_modules")).toContain("node_modules is not a file");
  });

  it("refuses a file that is not a module", () => {
    write("server.py", "pass");
    expect(failure("server.py")).toContain("Name a .ts, .mts, .js or .mjs file.");
  });

  it("asks for a default export", () => {
    write("named.mjs", "export const server = 1;");
    expect(failure("named.mjs")).toContain("named.mjs has no default export. Add one: export default defineServer(");
  });

  it.each([
    ["{}", "an object"],
    ["[]", "an array"],
    ["null", "null"],
    ["undefined", "undefined"],
    ["() => 1", "a function"],
  ])("says what the default export %s is instead of a server", (value, kind) => {
    write("other.mjs", `export default ${value};`);
    expect(failure("other.mjs")).toContain(`the default export of other.mjs is ${kind}, not a server.`);
  });

  it("places a syntax error in TypeScript", () => {
    write("broken.ts", "const fine = 1;", "export default { name: ;");
    expect(failure("broken.ts")).toContain("broken.ts:2:24 Expression expected.");
  });

  it("places a syntax error in JavaScript", () => {
    write("broken.mjs", "const fine = 1;", "export default { name: ;");
    const stderr = failure("broken.mjs");
    expect(stderr).toContain("broken.mjs:2");
    expect(stderr).toContain("SyntaxError: Unexpected token ';'");
  });

  it("shows what the module threw, with the line of the source", () => {
    write("throws.ts", "interface Erased {", "  name: string;", "}", 'throw new Error("no database");');
    const stderr = failure("throws.ts");
    expect(stderr).toContain("throws.ts failed while it was loaded");
    expect(stderr).toContain("Error: no database");
    expect(stderr).toMatch(/throws\.ts:4:7/);
  });

  it("names an import that does not exist as the author wrote it", () => {
    write("missing.ts", 'import { name } from "./gone.js";', "export default name;");
    expect(failure("missing.ts")).toContain("gone.js' imported from");
  });
});

describe("the command line", () => {
  it.each([[["serve"]], [["serve", "a.ts", "b.ts"]], [["srve"]], [["--bogus"]], [[]]])(
    "exits with 2 for %j",
    (args) => {
      const { status, stdout } = proffer(...args);
      expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    },
  );

  it("shows its help on stdout", () => {
    const { status, stdout } = proffer("serve", "--help");
    expect(status).toBe(0);
    expect(stdout).toContain("Usage: proffer serve");
  });
});
