import { once } from "node:events";
import { serveHttp } from "proffer/http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { distFile } from "../../proffer/test/dist.ts";
import { modern, postModern } from "../../proffer/test/http/http-client.ts";
import { describeWithEngine, sharedEngine } from "../../proffer/test/ports/engine.ts";
import { DECLARED } from "../../proffer/test/tasks/desk.ts";
import { load } from "../src/modules/load.ts";
import { buildModule } from "./build-module.ts";
import { createProject, type Project, waitForStderr } from "./project.ts";

const engine = await sharedEngine();
let project: Project;

beforeAll(() => {
  project = createProject();
  project.write(
    "tools.ts",
    "/** Copies a disk. @task required after 2s ttl 8h poll 5s */",
    "export const copy = async (disk: string) => disk;",
    "/** Prints. @task background */",
    "export const print = async () => 1;",
    "/** Moves. @task */",
    "export const move = async () => 'moved';",
    "/** Counts. */",
    "export const count = () => 1;",
  );
  project.write("plain.ts", "/** Counts. */", "export const count = () => 1;");
  buildModule(project.path("tools.ts"), project.path("dist"));
});

afterAll(() => project.remove());

const COPY = { after: 2000, ttl: 28_800_000, pollInterval: 5000, required: true };

describe("@task", () => {
  it("reaches the tools from the sources, the cache and a build", async () => {
    for (const file of ["tools.ts", "tools.ts", "dist"]) {
      const { tools } = await load(project.path(file));
      expect(tools.get("copy")?.task).toEqual({ ...COPY, polling: false });
      expect(tools.get("print")?.task).toMatchObject({ after: Number.POSITIVE_INFINITY, required: false });
      expect(tools.get("move")?.task).toMatchObject({ after: 0 });
      expect(tools.get("count")?.task).toBeUndefined();
    }
  });

  it("is shown by list and check", async () => {
    expect((await project.proffer("list", "tools.ts")).stdout.split("\n").slice(0, 5)).toEqual([
      "Tools",
      "  copy(disk)  Copies a disk. [task required after 2s]",
      "  print()  Prints. [task background]",
      "  move()  Moves. [task]",
      "  count()  Counts.",
    ]);
    for (const args of [
      ["list", "dist"],
      ["check", "tools.ts"],
    ]) {
      const { tools } = JSON.parse((await project.proffer(...args, "--json")).stdout);
      expect(tools[0]).toMatchObject({ name: "copy", task: COPY });
      expect(tools[1]).toMatchObject({ name: "print", task: { after: "background" } });
      expect(tools[3]).not.toHaveProperty("task");
    }
  });

  it("can be called from the command line, also if a task is required", async () => {
    expect(await project.proffer("call", "tools.ts", "copy", "--arg", "disk=c")).toMatchObject({
      status: 0,
      stdout: "c\n",
    });
    const service = await serveHttp(await load(project.path("tools.ts")), { port: 0 });
    const child = project.start("call", service.url, "move", "--json");
    let stdout = "";
    child.stdout?.on("data", (chunk) => {
      stdout += chunk;
    });
    await once(child, "close");
    await service.close();
    expect(JSON.parse(stdout)).toMatchObject({ content: [{ text: "moved" }] });
  });

  it("stops serve, with a code and a place, if it is misspelled", async () => {
    project.write("bad.ts", "/** Copies. @task requird */", "export const copy = () => 1;");
    const { status, stderr } = project.profferProcess({}, "serve", "bad.ts");
    expect(status).not.toBe(0);
    expect(stderr).toContain("bad.ts:1:13 error PF1250 'copy': @task has the unknown option \"requird\"");
  });
});

describeWithEngine("serve with @task and PROFFER_REDIS_URL", engine, ({ host, port }) => {
  /** Serves a module in a process that reports which packages it imports. */
  async function serve(module: string) {
    const hook = [
      'import { writeSync } from "node:fs";',
      "export function resolve(name, context, next) {",
      '  if (name === "bullmq" || name === "ioredis") writeSync(2, "imports " + name + "\\n");',
      "  return next(name, context);",
      "}",
    ];
    project.write("hook.mjs", ...hook);
    project.write("spy.mjs", 'import { register } from "node:module";', 'register("./hook.mjs", import.meta.url);');
    const env = {
      PROFFER_REDIS_URL: `redis://${host}:${port}`,
      PROFFER_REDIS_PREFIX: `tag-${process.pid}`,
      PROFFER_KEYS: Buffer.alloc(32, 7).toString("base64"),
      NODE_OPTIONS: `--import ${project.path("spy.mjs")}`,
    };
    const child = project.startNodeWith({ env }, distFile("bin.js"), "serve", module, "--http", "0");
    const output = await waitForStderr(child, /Listening at \S+/);
    const stop = async () => {
      child.kill("SIGTERM");
      await once(child, "close");
    };
    return { output, url: /Listening at ([^\s;]+)/.exec(output)?.[1] ?? "", stop };
  }

  it("runs the task, and imports bullmq only if a function has the tag", async () => {
    const plain = await serve("plain.ts");
    expect(plain.output).toContain("imports ioredis");
    expect(plain.output).not.toContain("imports bullmq");
    await plain.stop();
    const served = await serve("tools.ts");
    expect(served.output).toContain("imports bullmq");
    const created = async () => (await postModern(served.url, modern("tools/call", { name: "move" }, DECLARED))).json;
    await expect.poll(async () => (await created()).result.resultType).toBe("task");
    const { taskId } = (await created()).result;
    const get = async () => (await postModern(served.url, modern("tasks/get", { taskId }, DECLARED))).json.result;
    await expect.poll(get).toMatchObject({ status: "completed", result: { content: [{ text: "moved" }] } });
    await served.stop();
  });
});
