import { type ChildProcess, spawnSync } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, expect, it } from "vitest";
import { distFile } from "../../proffer/test/dist.ts";
import { freePort } from "../../proffer/test/free-port.ts";
import { modern, postModern } from "../../proffer/test/http/http-client.ts";
import { describeWithEngine, findEngine, sharedEngine, startEngine } from "../../proffer/test/ports/engine.ts";
import { createProject, type Project, waitForStderr } from "./project.ts";

const PROFFER_KEYS = Buffer.alloc(32, 7).toString("base64");
const engine = await sharedEngine();

let project: Project;

beforeAll(async () => {
  project = createProject();
  project.write(
    "tools.ts",
    'import { defineResource, defineServer } from "proffer";',
    'import { rateLimit } from "proffer/policy";',
    "/** Adds. */",
    "export const add = (a: number, b: number) => a + b;",
    "/** Changes the motto. */",
    'export function change() { server.notify("a://motto"); return "changed"; }',
    'const motto = defineResource({ uri: "a://motto", name: "motto", read: () => "" });',
    'const limited = rateLimit({ per: ({ name }) => (name === "add" ? name : undefined), rate: 0.001, burst: 2 });',
    'export const server = defineServer({ name: "nodes", version: "1.0.0", resources: [motto], middleware: limited });',
  );
  project.write("plain.ts", "/** Greets. */", "export const greet = () => 1;");
  expect((await project.proffer("build", "plain.ts", "--out", "dist", "--no-start")).status).toBe(0);
});

afterAll(() => project.remove());

const serve = (...words: string[]) => [distFile("bin.js"), "serve", ...words];

async function start(words: readonly string[], env: Record<string, string>) {
  const child = project.startNodeWith({ env }, ...words);
  let output = "";
  child.stderr?.on("data", (chunk) => {
    output += chunk;
  });
  const seen = await waitForStderr(child, /Listening at \S+|Working on tasks/);
  return { child, url: /Listening at ([^\s;]+)/.exec(seen)?.[1] ?? "", output: () => output };
}

async function stop(child: ChildProcess): Promise<unknown> {
  child.kill("SIGTERM");
  const [code] = await once(child, "close");
  return code;
}

const call = (url: string, name: string, args: object = {}) =>
  postModern(url, modern("tools/call", { name, arguments: args }));

const probe = async (url: string) => {
  const answer = await fetch(new URL("/readyz", url));
  return `${answer.status} ${await answer.text()}`;
};

it.each([
  [{ PROFFER_REDIS_URL: "localhost:6379" }, /Invalid URL in PROFFER_REDIS_URL/],
  [{ PROFFER_REDIS_URL: "http://s3cret@localhost" }, /Use one such as redis:/],
  [{ PROFFER_REDIS_PREFIX: "x" }, /PROFFER_REDIS_PREFIX requires PROFFER_REDIS_URL/],
  [{ PROFFER_REDIS_URL: "redis://localhost", PROFFER_REDIS_PREFIX: "a{b}" }, /Invalid value of PROFFER_REDIS_PREFIX/],
  [{ PROFFER_TASKS: "all" }, /Invalid value of PROFFER_TASKS: "all". Use serve, work or both/],
  [{ PROFFER_TASK_CONCURRENCY: "0" }, /Invalid value of PROFFER_TASK_CONCURRENCY: "0"/],
])("exits with 2 for %j before it loads the module", (env, message) => {
  for (const words of [serve("plain.ts", "--http", "0"), [project.path("dist/index.js"), "--http", "0"]]) {
    const options = { cwd: project.folder, encoding: "utf8", input: "", timeout: 600_000 } as const;
    const { status, stderr } = spawnSync(process.execPath, words, { ...options, env: { ...process.env, ...env } });
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(message) });
    expect(stderr).not.toContain("s3cret");
  }
});

it.each([
  [{ PROFFER_REDIS_URL: "redis://localhost" }, /requires PROFFER_KEYS.*openssl rand -base64 32/],
  [{ PROFFER_TASKS: "work" }, /PROFFER_TASKS=work is for servers on several nodes: set PROFFER_REDIS_URL/],
])("does not start with %j", (env, message) => {
  const options = { cwd: project.folder, encoding: "utf8", input: "", timeout: 600_000 } as const;
  const words = [project.path("dist/index.js"), "--http", "0"];
  const { status, stderr } = spawnSync(process.execPath, words, { ...options, env: { ...process.env, ...env } });
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(message) });
});

describeWithEngine("proffer serve with PROFFER_REDIS_URL", engine, ({ host, port }) => {
  const env = { PROFFER_REDIS_URL: `redis://${host}:${port}`, PROFFER_KEYS, PROFFER_HEALTH: "1" };

  it("shares rate limits between nodes, and ends cleanly", async () => {
    const own = { ...env, PROFFER_REDIS_PREFIX: `cli-${process.pid}` };
    const nodes = await Promise.all([1, 2].map(() => start(serve("tools.ts", "--http", "0"), own)));
    const [one, two] = nodes.map(({ url }) => url) as [string, string];
    for (const url of [one, two]) await expect.poll(() => probe(url)).toBe("200 ok");
    const args = { a: 1, b: 2 };
    await expect.poll(async () => (await call(one, "add", args)).status).toBe(200);
    expect((await call(two, "add", args)).status).toBe(200);
    expect((await call(one, "add", args)).status).toBe(429);
    expect((await call(two, "add", args)).status).toBe(429);
    for (const { child, output } of nodes) {
      expect(await stop(child)).toBe(0);
      expect(output()).toContain("share a Redis");
    }
  });

  it("gives each mounted server its own prefix", async () => {
    const words = serve("tools.ts", "--mount", "/plain=plain.ts", "--http", "0");
    const { child, output } = await start(words, { ...env, PROFFER_REDIS_PREFIX: "many" });
    await expect.poll(output).toMatch(/many-nodes[\s\S]*many-\w+/);
    expect(await stop(child)).toBe(0);
  });

  it("works without a transport, until a signal", async () => {
    const { child } = await start(serve("plain.ts"), { ...env, PROFFER_TASKS: "work" });
    expect(await stop(child)).toBe(0);
  });
});

it("starts without its Redis, names it in /readyz, and recovers without a restart", async () => {
  const found = findEngine(process.env);
  const free = await freePort();
  const url = `redis://ada:s3cret@127.0.0.1:${free}/0`;
  const {
    child,
    url: own,
    output,
  } = await start(serve("tools.ts", "--http", "0", "--health"), {
    ...{ PROFFER_REDIS_URL: url, PROFFER_KEYS },
  });
  await expect.poll(() => probe(own)).toBe("503 unavailable store");
  await expect.poll(async () => (await call(own, "change")).status).toBe(200);
  expect(output()).toContain("Redis cannot be reached");
  expect(output()).not.toContain("s3cret");
  if (found?.kind === "native") {
    const args = ["--save", "", "--appendonly", "no", "--user", "ada", "on", ">s3cret", "~*", "&*", "+@all"];
    const late = await startEngine(found, args, free);
    await expect.poll(() => probe(own)).toBe("200 ok");
    await late.stop();
    await expect.poll(() => probe(own)).toBe("503 unavailable store");
  }
  expect(await stop(child)).toBe(0);
});
