import { defineServer, defineTool, type Server } from "proffer";
import { serveHttp } from "proffer/http";
import { connect, memoryCluster } from "proffer/testing";
import { describe, expect, it } from "vitest";
import { modern, modernHeaders, post, postModern } from "../http/http-client.ts";
import { begin, connectWithTasks, DECLARED, end, refused, TASKS } from "./desk.ts";

const input = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const;

function serve(): Server {
  return defineServer({
    name: "tasks",
    version: "1",
    log: () => {},
    tools: [
      defineTool({ name: "plain", handle: (_, ctx) => `plain ${ctx.taskId}` }),
      defineTool({ name: "maybe", task: true, handle: async (_, ctx) => `task ${ctx.taskId !== undefined}` }),
      defineTool({ name: "must", task: "required", input, handle: ({ n }) => String(n) }),
    ],
  });
}

const call = (name: string, given = {}) => ["tools/call", { name, arguments: given }] as const;

describe("the option task", () => {
  it("needs a queue if the server has a cluster, at the start", async () => {
    const { queue: _, ...cluster } = memoryCluster();
    const tools = [defineTool({ name: "maybe", task: true, handle: () => "" })];
    const server = defineServer({ name: "x", version: "1", cluster, tools });
    const problem = { name: "UsageError", message: expect.stringContaining("needs a queue") };
    await expect(connect(server)).rejects.toMatchObject(problem);
    await expect((async () => serveHttp(server, { port: 0 }))()).rejects.toMatchObject(problem);
  });
});

describe("negotiation of tasks", () => {
  it("announces the extension as an empty object if a tool can become a task", async () => {
    const { capabilities } = await (await connect(serve())).open();
    expect(capabilities).toMatchObject({ extensions: { [TASKS]: {} } });
    expect(capabilities).not.toHaveProperty("tasks");
    const none = defineServer({ name: "none", version: "1", tools: [] });
    const client = await connect(none);
    expect((await client.open()).capabilities).not.toHaveProperty("extensions");
    expect(await refused(client.requestOnce("tasks/get", { taskId: "x" }))).toMatchObject({ code: -32601 });
  });

  it("announces it when such a tool is added", async () => {
    const server = defineServer({ name: "none", version: "1", tools: [] });
    const client = await connectWithTasks(server);
    server.tools.add(defineTool({ name: "late", task: true, handle: () => "ran" }));
    expect((await client.open()).capabilities).toMatchObject({ extensions: { [TASKS]: {} } });
    expect((await end(client, await begin(client, "late"))).result?.content[0]?.text).toBe("ran");
  });

  it.each(["2024-11-05", "2025-11-25"])("serves the tools as ordinary calls on %s", async (revision) => {
    const client = await connect(serve(), { revision, capabilities: DECLARED });
    expect(JSON.stringify(await client.open().catch(() => ({})))).not.toContain(TASKS);
    expect((await client.call("maybe")).content).toEqual([{ type: "text", text: "task false" }]);
    expect((await client.call("must", { n: 1 })).content).toEqual([{ type: "text", text: "1" }]);
    expect(await refused(client.requestOnce("tasks/get", { taskId: "x" }))).toMatchObject({ code: -32601 });
  });

  it("creates a task only for a request that declares support", async () => {
    const client = await connectWithTasks(serve());
    await end(client, await begin(client, "maybe"));
    const _meta = { "io.modelcontextprotocol/clientCapabilities": { elicitation: {} } };
    const result = await client.requestOnce("tools/call", { name: "maybe", _meta });
    expect(result).toMatchObject({ resultType: "complete", content: [{ text: "task false" }] });
  });

  it("refuses a tool that requires a task before it looks at the arguments", async () => {
    const client = await connect(serve(), { capabilities: {} });
    for (const given of [{ n: 1 }, { n: "wrong" }, "no object"]) {
      expect(await refused(client.requestOnce(...call("must", given as object)))).toMatchObject({
        code: -32021,
        message: `Tool "must" requires a client that supports ${TASKS}; this client did not declare it.`,
        data: { requiredCapabilities: { extensions: { [TASKS]: {} } } },
      });
    }
  });

  it.each(["tasks/get", "tasks/update", "tasks/cancel"])("refuses %s without the declaration, first", async (m) => {
    const server = serve();
    const taskId = await begin(await connectWithTasks(server), "maybe");
    const client = await connect(server, { capabilities: {} });
    const known = await refused(client.requestOnce(m, { taskId }));
    expect(known).toMatchObject({ code: -32021 });
    expect(await refused(client.requestOnce(m, { taskId: "unknown" }))).toEqual(known);
    expect(await refused(client.requestOnce(m))).toEqual(known);
  });

  it("ignores a wish of the client", async () => {
    const client = await connectWithTasks(serve());
    const plain = await client.requestOnce("tools/call", { name: "plain", task: { ttl: 1000 } });
    expect(plain).toMatchObject({ resultType: "complete", content: [{ text: "plain undefined" }] });
  });

  it("answers invalid arguments plainly, without a task", async () => {
    const client = await connectWithTasks(serve());
    const result = await client.requestOnce(...call("must", { n: "x" }));
    expect(result).toMatchObject({ resultType: "complete", isError: true });
  });

  it("uses the status codes and headers of HTTP", async () => {
    const service = await serveHttp(serve(), { port: 0 });
    const { url } = service;
    const ask = (method: string, params: object) => modern(method, params, DECLARED);
    const undeclared = await postModern(url, modern(...call("must", { n: 1 })));
    expect(undeclared).toMatchObject({ status: 400, json: { error: { code: -32021 } } });
    const created = (await postModern(url, ask(...call("must", { n: 1 })))).json.result;
    expect(Object.keys(created).sort()).toEqual(
      ["_meta", "createdAt", "lastUpdatedAt", "pollIntervalMs", "resultType", "status", "taskId", "ttlMs"].sort(),
    );
    const { taskId } = created;
    const get = ask("tasks/get", { taskId });
    expect((await postModern(url, get)).json.result).toMatchObject({ resultType: "complete", taskId });
    const { "mcp-name": _, ...bare } = modernHeaders(get);
    for (const headers of [bare, { ...bare, "mcp-name": "other" }]) {
      expect(await post(url, get, headers)).toMatchObject({ status: 400, json: { error: { code: -32020 } } });
    }
    for (const method of ["tasks/list", "tasks/result"]) {
      const answer = await postModern(url, ask(method, { taskId }));
      expect(answer).toMatchObject({ status: 404, json: { error: { code: -32601 } } });
    }
    await service.close();
  });
});
