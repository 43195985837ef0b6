import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { distFile } from "../../proffer/test/dist.ts";
import { waitForStderr } from "./project.ts";

// The way of a newcomer: `proffer init` of the clone in an empty folder, then the commands that it prints.

const empty = realpathSync(mkdtempSync(join(tmpdir(), "proffer-init-")));
const project = join(empty, "my-server");

afterAll(() => rmSync(empty, { recursive: true, force: true }));

function run(command: string, args: string[], cwd: string, env: Record<string, string> = {}) {
  return spawnSync(command, args, {
    ...{ cwd, encoding: "utf8", input: "", timeout: 600_000, shell: process.platform === "win32" },
    env: { ...process.env, HOME: join(empty, "home"), npm_config_cache: npmCache, ...env },
  });
}

const npmCache = spawnSync("npm", ["config", "get", "cache"], {
  encoding: "utf8",
  shell: process.platform === "win32",
}).stdout.trim();

const init = (...args: string[]) => run(process.execPath, [distFile("bin.js"), "init", ...args], empty);

describe("proffer init of a clone", () => {
  it("creates a project that works at once, without a published package", async ({ skip }) => {
    const { status, stdout, stderr } = init("my-server");
    if (/\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTCACHED)\b/.test(stderr)) {
      console.warn("The project of `proffer init` is NOT tested: npm cannot reach the registry.");
      skip();
    }
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: [
        ...["cd my-server", "npm test", "npx proffer dev tools.ts --http"],
        ...["npx proffer install tools.ts --client claude-code", ""],
      ].join("\n"),
    });
    for (const name of ["proffer", "@proffer/inspector", "@proffer/cli"]) {
      const folder = join(project, "node_modules", name);
      expect(lstatSync(folder).isSymbolicLink()).toBe(false);
      for (const file of ["README.md", "LICENSE"]) expect(existsSync(join(folder, file))).toBe(true);
    }
    expect(run("npm", ["test"], project)).toMatchObject({ status: 0, stdout: expect.stringContaining("# pass 4") });
    // Its types are right, also those of Node.
    expect(run("npx", ["tsc", "-p", "."], project)).toMatchObject({ status: 0, stdout: "" });
    const build = run("npx", ["proffer", "build", "tools.ts", "--out", "dist", "--docker", "--install"], project);
    expect(build).toMatchObject({ status: 0, stderr: expect.stringContaining("It was started once to check it.") });
    // Alone, as the image copies it.
    const image = join(empty, "image");
    cpSync(join(project, "dist"), image, { recursive: true });
    expect(readFileSync(join(image, "Dockerfile"), "utf8")).toMatch(
      /^COPY package\.json .*proffer-.*\.tgz \.\/\nRUN npm ci/m,
    );
    expect(run("npm", ["ci", "--omit=dev"], image).status).toBe(0);
    expect(readdirSync(join(image, "node_modules")).filter((name) => !name.startsWith("."))).toEqual(["proffer"]);
    const listed = run("npx", ["proffer", "list", "--", "node", join(image, "index.js")], project);
    expect(listed.stdout).toContain("roll(count?, sides?)");
    // It has its own copy of the run-time.
    expect(run("npx", ["proffer", "call", image, "roll", "--arg", "count=2"], project).status).toBe(0);
    const installed = run("npx", ["proffer", "install", "tools.ts", "--client", "claude-code"], project);
    expect(installed).toMatchObject({ status: 0, stdout: expect.stringContaining("my-server/tools.ts") });
    const bin = join(project, "node_modules/proffer/dist/bin.js");
    const dev = spawn(process.execPath, [bin, "dev", "tools.ts", "--http"], {
      ...{ cwd: project, stdio: ["ignore", "ignore", "pipe"] },
      env: { ...process.env, PORT: "0" },
    });
    expect(await waitForStderr(dev, "Listening at")).toContain("roll(count?, sides?)");
    dev.kill();
    await once(dev, "close");
  });

  it("writes nothing if npm cannot pack, and keeps other files", () => {
    const target = join(empty, "other");
    expect(init("other", "--no-install").status).toBe(0);
    for (const name of readdirSync(target)) if (name !== "vendor") rmSync(join(target, name));
    for (const name of readdirSync(join(target, "vendor"))) rmSync(join(target, "vendor", name));
    writeFileSync(join(target, "vendor/mine.txt"), "mine");
    const { status, stderr } = run(process.execPath, [distFile("bin.js"), "init", "other"], empty, { PATH: empty });
    expect(status).toBe(1);
    expect(stderr).toMatch(/npm pack failed in .*Nothing was written/);
    expect(readdirSync(target, { recursive: true }).sort()).toEqual(["vendor", "vendor/mine.txt"]);
    expect(readFileSync(join(target, "vendor/mine.txt"), "utf8")).toBe("mine");
  });
});
