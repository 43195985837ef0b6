import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import type { ShownTool } from "../../src/lab/model/dialect.ts";
import { ScriptedModel } from "../../src/lab/model/scripted-model.ts";
import { tapUrl } from "../../src/lab/tap.ts";
import { WireRecord } from "../../src/recordings/record.ts";

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listen(server: Server): Promise<string> {
  servers.push(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const find = (tool: string, shown: readonly ShownTool[]) => shown.find(({ name }) => name.endsWith(tool));

async function serveModel(...tools: string[]) {
  const model = new ScriptedModel(
    tools.map((tool) => ({ tool, arguments: { n: 41 } })),
    find,
    () => performance.now(),
  );
  const url = await listen(createServer(model.listener));
  return { model, url };
}

const schema = { type: "object", properties: { n: { type: "integer" } } };
const call = { n: 41 };

/** For each API: a request for the first turn, the call in the response, and the request with the result. */
const APIS = {
  "Anthropic Messages": {
    path: "/v1/messages",
    first: { model: "m", tools: [{ name: "add", input_schema: schema }], messages: [{ role: "user", content: "x" }] },
    reply: { content: [{ type: "tool_use", id: "call_1", name: "add", input: call }], stop_reason: "tool_use" },
    result: (first: object, reply: { content: unknown }) => {
      const result = { type: "tool_result", tool_use_id: "call_1", content: "42" };
      const { messages } = first as { messages: unknown[] };
      const answered = [
        { role: "assistant", content: reply.content },
        { role: "user", content: [result] },
      ];
      return { ...first, messages: [...messages, ...answered] };
    },
    end: { content: [{ type: "text", text: "Done." }] },
  },
  "OpenAI Responses": {
    path: "/v1/responses",
    first: {
      model: "m",
      tools: [{ type: "namespace", name: "mcp__shop", tools: [{ type: "function", name: "add", parameters: schema }] }],
      input: [{ role: "user", content: "x" }],
    },
    reply: { output: [{ type: "function_call", call_id: "call_1", name: "add", namespace: "mcp__shop" }] },
    result: (first: object, reply: { output: unknown[] }) => {
      const { input } = first as { input: unknown[] };
      const result = { type: "function_call_output", call_id: "call_1", output: "42" };
      return { ...first, input: [...input, ...reply.output, result] };
    },
    end: { output: [{ type: "message", content: [{ text: "Done." }] }] },
  },
  "Chat Completions": {
    path: "/v1/chat/completions",
    first: {
      tools: [{ type: "function", function: { name: "add", parameters: schema } }],
      messages: [{ role: "user", content: "x" }],
    },
    reply: { choices: [{ message: { tool_calls: [{ id: "call_1", function: { name: "add" } }] } }] },
    result: (first: object, reply: { choices: { message: unknown }[] }) => {
      const { messages } = first as { messages: unknown[] };
      const result = { role: "tool", tool_call_id: "call_1", content: "42" };
      return { ...first, messages: [...messages, reply.choices[0]?.message, result] };
    },
    end: { choices: [{ message: { content: "Done." } }] },
  },
  Gemini: {
    path: "/v1beta/models/m:generateContent",
    first: {
      tools: [{ functionDeclarations: [{ name: "add", parametersJsonSchema: schema }] }],
      contents: [{ role: "user", parts: [{ text: "x" }] }],
    },
    reply: { candidates: [{ content: { parts: [{ functionCall: { name: "add", args: call } }] } }] },
    result: (first: object, reply: { candidates: { content: unknown }[] }) => {
      const { contents } = first as { contents: unknown[] };
      const result = { functionResponse: { name: "add", response: { output: "42" } } };
      return { ...first, contents: [...contents, reply.candidates[0]?.content, { role: "user", parts: [result] }] };
    },
    end: { candidates: [{ content: { parts: [{ text: "Done." }] } }] },
  },
} as const;

it.each(Object.keys(APIS) as (keyof typeof APIS)[])("makes a call and gets its result over %s", async (name) => {
  const { path, first, reply, result, end } = APIS[name];
  const { model, url } = await serveModel("add");
  const ask = async (body: object) => {
    const response = await fetch(`${url}${path}`, { method: "POST", body: JSON.stringify(body) });
    return response.json();
  };
  const asked = await ask(first);
  expect(asked).toMatchObject(reply);
  expect(await ask(result(first, asked as never))).toMatchObject(end);
  expect(JSON.stringify(model.made[0]?.seen?.entries)).toContain('"42"');
  expect(model.made[0]?.shown.schema).toEqual(schema);
});

it("repeats a turn that the client asks for again, and streams it", async () => {
  const { model, url } = await serveModel("add");
  const { path, first } = APIS["Anthropic Messages"];
  const body = JSON.stringify({ ...first, stream: true });
  for (let times = 0; times < 2; times++) {
    const response = await fetch(`${url}${path}`, { method: "POST", body });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(await response.text()).toContain('"partial_json":"{\\"n\\":41}"');
  }
  expect(model.made).toHaveLength(1);
});

it("waits for a task as its result says", async () => {
  const { model, url } = await serveModel("add");
  const { path, first } = APIS["Anthropic Messages"];
  const tools = [...first.tools, { name: "task_status", input_schema: schema }];
  const running = "Still running. Task t-1. Call task_status with this id to wait for the result.";
  const result = { type: "tool_result", tool_use_id: "call_1", content: running };
  const made = { role: "assistant", content: [{ type: "tool_use", id: "call_1", name: "add", input: call }] };
  const post = (messages: readonly unknown[]) =>
    fetch(`${url}${path}`, { method: "POST", body: JSON.stringify({ tools, messages }) });
  await post(first.messages);
  await post([...first.messages, made, { role: "user", content: [result] }]);
  expect(model.made[1]).toMatchObject({ tool: "task_status", arguments: { id: "t-1" }, follows: true });
});

it("notes a tool that the model was not shown, and refuses an unknown address", async () => {
  const { model, url } = await serveModel("subtract");
  const { path, first } = APIS["Chat Completions"];
  const response = await fetch(`${url}${path}`, { method: "POST", body: JSON.stringify(first) });
  expect(JSON.stringify(await response.json())).toContain("Done.");
  expect(model.unknown).toEqual(["subtract"]);
  expect((await fetch(`${url}/v1/else`, { method: "POST", body: "{}" })).status).toBe(404);
});

it("adds the headers of the caller to requests to a URL, and records messages and streams", async () => {
  const seen: unknown[] = [];
  const server = createServer((request, response) => {
    seen.push([request.headers.authorization, request.url]);
    response.writeHead(200, { "content-type": "text/event-stream", "mcp-session-id": "s" });
    response.end('event: message\ndata: {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}}\n\n');
  });
  const url = `${await listen(server)}/mcp`;
  const record = new WireRecord();
  const tap = await tapUrl(url, { authorization: "Bearer secret" }, record, { port: 0, host: "127.0.0.1" });
  const here = `http://127.0.0.1:${tap.port}`;
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "a client", version: "1" } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  const response = await fetch(`${here}/mcp`, { method: "POST", body });
  expect(await response.text()).toContain("event: message");
  expect((await fetch(`${here}/.well-known/oauth-protected-resource`)).status).toBe(404);
  await tap.close();
  expect(seen).toEqual([["Bearer secret", "/mcp"]]);
  expect([...record.lanes()]).toMatchObject([{ name: "a client", revision: "2025-06-18", transport: "http" }]);
  expect([...record.messages()].map(({ dir, kind }) => [dir, kind])).toEqual([
    ["out", "request"],
    ["in", "result"],
  ]);
});
