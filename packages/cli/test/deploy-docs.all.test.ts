import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { parseAllDocuments } from "yaml";
import { distFile } from "../../proffer/test/dist.ts";
import { freePort } from "../../proffer/test/free-port.ts";
import { modern, modernHeaders, request } from "../../proffer/test/http/http-client.ts";
import { createProject, type Project } from "./project.ts";

// The pages are followed in an empty project: their files are written, and their commands run in their order.

const root = fileURLToPath(new URL("../../../", import.meta.url));
const text = ["deploy", "serverless"].map((name) => readFileSync(join(root, `docs/${name}.md`), "utf8")).join("\n");
const MARK = /^\n?(?:\*|<!-- )Not run by a test/;

interface Block {
  readonly language: string;
  readonly code: string;
  /** Whether the page says that no test runs it. */
  readonly isMarked: boolean;
}

const blocks: Block[] = [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```\n(?=([\s\S]{0,40}))/gm)].map(
  ([, language = "", code = "", after = ""]) => ({ language, code, isMarked: MARK.test(after) }),
);

function codeOf(language: string): string {
  return blocks.find((block) => block.language === language)?.code ?? "";
}

/** The commands that the page does not mark. */
const commands = blocks
  .filter(({ language, isMarked }) => language === "sh" && !isMarked)
  .flatMap(({ code }) => code.trim().split("\n"));
const isServer = (command: string) => command.startsWith("node ");

let project: Project;

beforeAll(() => {
  project = createProject();
  for (const { language, code } of blocks) {
    const [, name] = /^\/\/ (\S+)\n/.exec(code) ?? [];
    if (name !== undefined && (language === "ts" || language === "js")) project.write(name, code);
  }
  for (const command of commands.filter((line) => !isServer(line))) {
    const line = command
      .replace(/^npx proffer/, `'${process.execPath}' '${distFile("bin.js")}'`)
      .replace(/^npx esbuild/, `'${join(root, "node_modules/.bin/esbuild")}' --log-level=warning`);
    const { status, stderr } = spawnSync("sh", ["-c", line], { cwd: project.folder, encoding: "utf8" });
    expect({ command, status, stderr: status === 0 ? "" : stderr }).toEqual({ command, status: 0, stderr: "" });
    // A later command replaces the folder.
    if (command.endsWith("--bundle")) cpSync(project.path("dist"), project.path("image"), { recursive: true });
  }
});

afterAll(() => project.remove());

describe("docs/deploy.md and docs/serverless.md", () => {
  it("marks every snippet that no test runs", () => {
    const run = ["npx proffer build", "npx esbuild", "node dist/index.mjs"];
    const unknown = commands.filter((command) => !run.some((start) => command.startsWith(start)));
    expect(unknown).toEqual([]);
    const others = blocks.filter(({ language }) => !["sh", "ts", "js"].includes(language));
    expect(others.length).toBeGreaterThan(3);
    expect(others.filter(({ isMarked }) => !isMarked)).toEqual([]);
  });

  it("has a column for each check of npm run runtimes", () => {
    const checks = readFileSync(join(root, "runtimes/checks.mjs"), "utf8");
    const names = [...checks.matchAll(/^ {2,4}(?:\{ )?name: "(\w+)"/gm)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(5);
    expect(text).toContain(`| | ${names.join(" | ")} |`);
  });

  it("has functions that answer a call and refuse a foreign host, on Next.js, Lambda, Workers, Bun and Deno", () => {
    const call = modern("tools/call", { name: "add", arguments: { a: 19, b: 23 } });
    project.write(
      "check.mjs",
      `const body = ${JSON.stringify(JSON.stringify(call))};`,
      `const headers = ${JSON.stringify(modernHeaders(call))};`,
      "const served = [];",
      "globalThis.Bun = { serve: ({ fetch }) => served.push(fetch) };",
      "globalThis.Deno = { serve: (_, fetch) => served.push(fetch) };",
      'const { POST } = await import("./app/mcp/route.js");',
      'const { default: worker } = await import("./worker/index.mjs");',
      'const { handler } = await import("./lambda/index.mjs");',
      'await import("./bun.js");',
      'await import("./deno.js");',
      "const lambda = async (request) => {",
      "  const { host: domainName, pathname: rawPath } = new URL(request.url);",
      '  const requestContext = { domainName, http: { method: "POST" } };',
      "  const event = { requestContext, headers, rawPath, rawQueryString: '', body: btoa(body), isBase64Encoded: true };",
      "  const { statusCode: status, ...init } = await handler(event);",
      "  return new Response(init.body, { status, headers: init.headers });",
      "};",
      "for (const handle of [POST, lambda, worker.fetch, ...served]) {",
      '  for (const host of [served.includes(handle) ? "localhost" : "mcp.example.com", "evil.example"]) {',
      '    const response = await handle(new Request("https://" + host + "/mcp", { method: "POST", headers, body }));',
      "    const { result } = await response.json();",
      "    console.log(response.status, result?.structuredContent);",
      "  }",
      "}",
    );
    const { stdout, stderr } = spawnSync(process.execPath, ["check.mjs"], { cwd: project.folder, encoding: "utf8" });
    expect(stdout || stderr).toBe("200 42\n403 undefined\n".repeat(5));
  });

  it("has a Worker without imports", () => {
    expect(readFileSync(project.path("worker/index.mjs"), "utf8")).not.toMatch(/^import |from "node:/m);
  });

  // Enable with the flags of built folders (--host, --allowed-host, --health) and the routes /healthz and /readyz.
  it.each([
    ["the command line", () => commands.find(isServer)?.split(" ").slice(2) ?? []],
    ["the Dockerfile", () => JSON.parse(/^CMD (.*)$/m.exec(codeOf("dockerfile"))?.[1] ?? "").slice(2)],
    ["the pod", () => containerOf(codeOf("yaml")).args.slice(2)],
    ["the unit", () => /^ExecStart=(.*)$/m.exec(codeOf("ini"))?.[1]?.split(" ").slice(2) ?? []],
  ] as const)("has a bundle that starts with the arguments of %s, and passes its health checks", async (_, flags) => {
    const port = await freePort();
    const variables = /^ENV (.*)$/m.exec(codeOf("dockerfile"))?.[1]?.split(" ") ?? [];
    const env: NodeJS.ProcessEnv = {
      ...Object.fromEntries(variables.map((pair) => pair.split("="))),
      PORT: String(port),
    };
    const options = { cwd: project.folder, env: { ...process.env, ...env }, stdio: "ignore" } as const;
    const server = spawn(process.execPath, ["image/index.mjs", ...flags()], options);
    onTestFinished(() => void server.kill("SIGKILL"));
    const [, ...check] = JSON.parse(/CMD (\["node", "-e".*\])$/m.exec(codeOf("dockerfile"))?.[1] ?? "");
    await expect
      .poll(() => spawnSync(process.execPath, check, { env: { ...process.env, ...env } }).status, { interval: 200 })
      .toBe(0);
    const { livenessProbe, readinessProbe } = containerOf(codeOf("yaml"));
    for (const { httpGet } of [livenessProbe, readinessProbe]) {
      // A kubelet sends the address of the pod.
      const headers = { host: "10.0.0.7:3000" };
      const response = await get(`http://127.0.0.1:${port}${httpGet.path}`, headers);
      expect({ path: httpGet.path, status: response }).toEqual({ path: httpGet.path, status: 200 });
    }
    server.kill("SIGTERM");
    expect(await once(server, "close")).toEqual([0, null]);
  });
});

interface Container {
  readonly args: readonly string[];
  readonly livenessProbe: { readonly httpGet: { readonly path: string } };
  readonly readinessProbe: { readonly httpGet: { readonly path: string } };
}

function containerOf(yaml: string): Container {
  const [deployment, service] = parseAllDocuments(yaml).map((document) => document.toJS());
  expect(service.spec.ports[0].targetPort).toBe(deployment.spec.template.spec.containers[0].ports[0].containerPort);
  return deployment.spec.template.spec.containers[0];
}

/** Returns the status. */
async function get(url: string, headers: Record<string, string>): Promise<number | undefined> {
  const response = await request(url, { headers });
  response.resume();
  return response.statusCode;
}
