import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { freePort } from "../../proffer/test/free-port.ts";
import { modern, modernHeaders } from "../../proffer/test/http/http-client.ts";
import { build } from "../src/commands/build.ts";
import { createProject, type Project } from "./project.ts";

let project: Project;

beforeAll(() => {
  project = createProject();
  project.write(
    "tools.ts",
    'import { defineSettings } from "proffer/settings";',
    "const settings = defineSettings<{ /** The key. @secret */ SHOP_TOKEN: string; LIMIT?: number }>();",
    "/** Measures the key. */",
    "export const measure = () => settings.SHOP_TOKEN.length;",
  );
});

afterAll(() => project.remove());

/** Returns the words of an instruction. */
function instruction(dockerfile: string, name: string): string {
  return new RegExp(`^${name} (.*)$`, "m").exec(dockerfile)?.[1] ?? "";
}

describe("proffer build --docker", () => {
  it.each([
    ["a folder", false],
    ["a bundle", true],
  ])("writes a Dockerfile for %s, whose CMD serves and whose HEALTHCHECK succeeds", async (_, bundle) => {
    const out = project.path(`dist-${bundle}`);
    await build(project.path("tools.ts"), { out, bundle, docker: true, start: false });
    // An earlier build with a Dockerfile is replaced.
    await build(project.path("tools.ts"), { out, bundle, docker: true });
    const dockerfile = project.read(`dist-${bundle}/Dockerfile`);
    expect(dockerfile.startsWith("# Set these variables")).toBe(true);
    for (const variable of ["SHOP_TOKEN  required, secret", "LIMIT  optional", "PROFFER_ALLOWED_HOSTS  the host names"])
      expect(dockerfile).toContain(`#   ${variable}`);
    expect(dockerfile.includes("RUN npm install --omit=dev")).toBe(!bundle);
    expect(instruction(dockerfile, "USER")).toBe("node");
    // The packages of a folder are installed in the image; those of a bundle have data that it reads.
    expect(project.read(`dist-${bundle}/.dockerignore`).includes("node_modules\n")).toBe(!bundle);

    const port = await freePort();
    const variables = instruction(dockerfile, "ENV")
      .split(" ")
      .map((pair) => pair.split("="));
    const env = { ...process.env, ...Object.fromEntries(variables), PORT: String(port), SHOP_TOKEN: "sk-12345678" };
    const [node, ...words] = JSON.parse(instruction(dockerfile, "CMD"));
    expect(node).toBe("node");
    const server = spawn(process.execPath, words, { cwd: out, env, stdio: "ignore" });
    onTestFinished(() => void server.kill("SIGKILL"));
    const [, ...probe] = JSON.parse(/CMD (\[.*\])$/.exec(instruction(dockerfile, "HEALTHCHECK"))?.[1] ?? "");
    await expect.poll(() => spawnSync(process.execPath, probe, { env }).status, { interval: 200 }).toBe(0);
    const call = modern("tools/call", { name: "measure", arguments: {} });
    const options = {
      method: "POST",
      headers: { ...modernHeaders(call) } as Record<string, string>,
      body: JSON.stringify(call),
    };
    const response = await fetch(`http://127.0.0.1:${port}/mcp`, options);
    expect(await response.json()).toMatchObject({ result: { structuredContent: 11 } });
    server.kill("SIGTERM");
    expect(await once(server, "close")).toEqual([0, null]);
    expect(spawnSync(process.execPath, probe, { env }).status).toBe(1);
  });

  it("refuses an asset with the name of a file that it writes", async () => {
    project.write("Dockerfile", "mine");
    const flags = { out: project.path("taken"), bundle: true, docker: true, asset: [project.path("Dockerfile")] };
    await expect(build(project.path("tools.ts"), flags)).rejects.toThrow("An asset of the build is named Dockerfile.");
    expect(project.read("Dockerfile")).toBe("mine\n");
  });
});
