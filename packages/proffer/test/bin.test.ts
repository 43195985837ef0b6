import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { distFile } from "./dist.ts";

const scratch = mkdtempSync(join(tmpdir(), "proffer-bin-"));
const installed = join(scratch, "installed/node_modules/proffer");
const project = join(scratch, "project");

beforeAll(() => {
  const dist = dirname(distFile("bin.js"));
  cpSync(dist, join(installed, "dist"), { recursive: true });
  cpSync(join(dist, "../package.json"), join(installed, "package.json"));
  mkdirSync(project);
});

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function launch(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(installed, "dist/bin.js"), ...args], {
    cwd: project,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

function installCommandLine(folder: string, answer: string): void {
  const target = join(folder, "node_modules/@proffer/cli");
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, "package.json"), '{ "type": "module", "exports": "./index.js" }');
  writeFileSync(
    join(target, "index.js"),
    `export async function run(argv) { console.log("${answer}", ...argv); setInterval(() => {}, 1000); return 7; }`,
  );
}

describe("the launcher", () => {
  it("explains how to install @proffer/cli if it is missing", () => {
    const { status, stdout, stderr } = launch("serve", "server.ts");
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain("npm install --save-dev @proffer/cli");
  });

  it("prints its version without @proffer/cli", () => {
    const { version } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
    expect(launch("--version")).toEqual({ status: 0, stdout: `${version}\n`, stderr: "" });
  });

  it("runs the @proffer/cli beside it with the arguments, and exits with its code despite open timers", () => {
    installCommandLine(join(scratch, "installed"), "beside");
    expect(launch("serve", "a b")).toEqual({ status: 7, stdout: "beside serve a b\n", stderr: "" });
  });

  it("prefers the @proffer/cli of the current project", () => {
    installCommandLine(project, "project");
    expect(launch("serve")).toEqual({ status: 7, stdout: "project serve\n", stderr: "" });
  });
});
