import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";
import { parse } from "yaml";

const folder = fileURLToPath(new URL(".", import.meta.url));
const { jobs } = parse(readFileSync(new URL(".github/workflows/ci.yml", import.meta.url), "utf8"));
const commands: string[] = jobs.mcp.steps.flatMap(({ run }: { run?: string }) => run ?? []);

afterAll(() => rmSync(`${folder}dist`, { recursive: true, force: true }));

it.each(commands.filter((command) => command !== "npm ci" && !command.includes("vitest")))(
  "CI succeeds without the value of a setting: %s",
  (command) => {
    const [name = "", ...words] = command.split(" ");
    const { PATH, HOME } = process.env;
    const { status, stderr } = spawnSync(name, words, { cwd: folder, encoding: "utf8", env: { PATH, HOME } });
    expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
    expect(existsSync(`${folder}crm.db`)).toBe(false);
  },
);

it("the image may write its database, and its Dockerfile names the secret", () => {
  const dockerfile = readFileSync(`${folder}dist/Dockerfile`, "utf8");
  expect(dockerfile).toContain("RUN chown node:node /app\nUSER node");
  expect(dockerfile).toMatch(/#\s+REGISTER_KEY {2}required, secret/);
});
