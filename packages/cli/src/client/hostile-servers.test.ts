import { once } from "node:events";
import { createServer as createHttpServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { Client, type Link } from "proffer/client";
import { afterEach, describe, expect, it } from "vitest";
import { type HostileHttp, sendJson, sendResult, startHostileHttp } from "../../test/hostile-http.ts";
import { listAll } from "../terminal/listing.ts";
import { withServer } from "./connect-target.ts";

const started: HostileHttp[] = [];

async function start(...args: Parameters<typeof startHostileHttp>): Promise<HostileHttp> {
  const server = await startHostileHttp(...args);
  started.push(server);
  return server;
}

afterEach(() => {
  for (const server of started.splice(0)) server.close();
});

function talk<Value>(url: string, work: (server: Client) => Promise<Value>, flags = {}): Promise<Value> {
  return withServer({ kind: "url", url }, flags, work);
}

type Respond = (message: { readonly id?: number; readonly method?: string }, response: ServerResponse) => unknown;

/** A server that does nothing by itself. Requests without a body have an empty message. */
async function startRaw(respond: Respond): Promise<{ readonly url: string }> {
  const server = createHttpServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    respond(JSON.parse(body || "{}"), response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  started.push({ url, received: [], close: () => server.close().closeAllConnections() });
  return { url };
}

const STREAM = { "content-type": "text/event-stream" };

const call = (server: Client) => server.call("pay", { card: "4111" });

describe("a redirect", () => {
  it.each([301, 302, 303, 307, 308])("with status %s to another origin is refused", async (status) => {
    const thief = await start(({ id }, response) =>
      sendJson(response, { jsonrpc: "2.0", id, result: { content: [] } }),
    );
    const server = await start((_, response) => response.writeHead(status, { location: `${thief.url}?a=b` }).end());
    await expect(talk(server.url, call)).rejects.toThrow(`${server.url} redirects to ${thief.url}, another origin.`);
    expect(thief.received).toEqual([]);
  });

  it("within the origin is followed with the message, five times", async () => {
    const server = await start((message, response, { url = "" }) => {
      const count = Number(new URL(url, "http://x").searchParams.get("n"));
      if (count === 5)
        sendResult(message, response, { content: [{ type: "text", text: JSON.stringify(message.params) }] });
      else response.writeHead(307, { location: `/mcp?n=${count + 1}` }).end();
    });
    const { content } = await talk(server.url, call);
    expect(content).toEqual([{ type: "text", text: expect.stringContaining('"card":"4111"') }]);
  });

  it.each([
    ["endless", 307, "/mcp", "redirects more than 5 times"],
    ["of a method that drops the message", 302, "/other", "redirects with status 302, which drops the message"],
    ["invalid", 307, "http://[", "redirects to an invalid URL"],
  ])("that is %s is refused", async (_, status, location, message) => {
    const server = await start((_, response) => response.writeHead(status, { location }).end());
    await expect(talk(server.url, call)).rejects.toThrow(message);
  });
});

describe("a list", () => {
  const tool = { name: "a", inputSchema: {} };

  it.each([
    ["repeats a cursor", () => ({ tools: [tool], nextCursor: "same" }), 2, "repeats a cursor and would never end"],
    ["has endless pages", (n: number) => ({ tools: [], nextCursor: `${n}` }), 1001, "has more than 1000 pages"],
    [
      "has endless entries",
      (n: number) => ({ tools: Array(60_000).fill(tool), nextCursor: `${n}` }),
      2,
      "has more than 100000 entries",
    ],
  ])("that %s ends with an error", async (_, page, pages, problem) => {
    let count = 0;
    const server = listing(() => page(++count));
    await expect(server.listTools()).rejects.toThrow(`The list that evil sends for tools/list ${problem}.`);
    expect(count).toBe(pages);
  });

  it("that marks its end with null is complete", async () => {
    expect(await listing(() => ({ tools: [tool], nextCursor: null })).listTools()).toEqual([tool]);
  });

  function listing(page: () => object): Client {
    const link: Link = (receive) => ({
      send: (text) => receive(JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(text).id, result: page() })),
      close() {},
    });
    return new Client({ name: "evil", link, revision: "2026-07-28", handshake: false });
  }
});

describe("a malformed response", () => {
  const everything = (server: Client) => listAll(server, server.capabilities);
  const read = (server: Client) => server.read("a://b");
  const get = (server: Client) => server.get("p", {});

  it.each<[string, (server: Client) => Promise<unknown>, unknown, string]>([
    ["without a list", everything, {}, "tools/list: tools must be an array, not missing"],
    ["with a list that is text", everything, { tools: "abc" }, "tools/list: tools must be an array, not a string"],
    ["with a null entry", everything, { tools: [null] }, "tools/list: tools[0] must be an object, not null"],
    ["with a numeric name", everything, { tools: [{ name: 1e308 }] }, "tools[0].name must be a string, not the number"],
    ["without a schema", everything, { tools: [{ name: "a" }] }, "tools[0].inputSchema must be an object, not missing"],
    [
      "with a numeric cursor",
      everything,
      { tools: [], nextCursor: 5 },
      "nextCursor must be a string, not the number 5",
    ],
    ["that is null", call, null, "tools/call: result must be an object, not null"],
    ["that is an array", call, [], "tools/call: result must be an object, not an array"],
    ["with a null block", call, { content: [null] }, "tools/call: content[0] must be an object, not null"],
    ["with a block without data", call, { content: [{ type: "image" }] }, "content[0].data must be a string"],
    ["with a null resource", call, { content: [{ type: "resource", resource: null }] }, "content[0].resource must be"],
    [
      "with null questions",
      call,
      { resultType: "input_required", inputRequests: { a: null } },
      "inputRequests.a must be",
    ],
    ["with numeric contents", read, { contents: 7 }, "resources/read: contents must be an array, not the number 7"],
    ["with numeric text", read, { contents: [{ text: 7 }] }, "contents[0].text must be a string, not the number 7"],
    ["without messages", get, {}, "prompts/get: messages must be an array, not missing"],
    ["without a role", get, { messages: [{ content: {} }] }, "prompts/get: messages[0].role must be a string"],
  ])("%s is an error that names the server and the field", async (_, work, result, problem) => {
    const server = await start((message, response) => sendResult(message, response, result));
    const failure = await talk(server.url, work).catch((error: Error) => error as Error);
    expect(failure).toMatchObject({ name: "CommandError", exitCode: 1 });
    expect(String(failure)).toContain(`${server.url} sent a malformed response to `);
    expect(String(failure)).toContain(problem);
  });

  it.each<[string, unknown, string]>([
    ["error", { error: "x" }, "error must be an object, not a string"],
    ["error code", { error: { code: 0.5, message: "x" } }, "error.code must be an integer, not the number 0.5"],
    ["error message", { error: { code: 1, message: {} } }, "error.message must be a string, not an object"],
    ["result", {}, "result must be an object, not missing"],
  ])("with a malformed %s names it", async (_, parts, problem) => {
    const server = await start(({ id }, response) =>
      sendJson(response, [null, 7, { jsonrpc: "2.0", id, ...(parts as object) }]),
    );
    await expect(talk(server.url, call)).rejects.toThrow(problem);
  });

  it.each([
    ["nested a million times", "[".repeat(1_000_000), "has more than 512 levels"],
    ["of millions of items", `[${"{},".repeat(2_000_000)}`, "has more than 2000000 items"],
  ])("%s is refused before it is parsed", async (_, body, problem) => {
    const server = await start((_, response) => response.setHeader("content-type", "application/json").end(body));
    await expect(talk(server.url, call)).rejects.toThrow(`${server.url} sent a message that ${problem}.`);
  });

  it("that asks without end is an error", async () => {
    const server = await start((message, response) => sendResult(message, response, { resultType: "input_required" }));
    await expect(talk(server.url, call)).rejects.toThrow("still asked questions after 50 rounds of tools/call");
  });

  it.each([
    [{ status: "input_required" }, "still asked questions after 50 rounds of the task"],
    [{ status: "gone" }, "The task is gone, but has no result."],
    [{ status: 5 }, "sent a malformed response to tasks/get: status must be a string, not the number 5"],
    [{ status: "completed", result: { content: 5 } }, "sent a malformed response to tools/call: content must be"],
  ])("that is a task with the state %j is an error", async (state, problem) => {
    const server = await start((message, response) => {
      const isCall = message.method === "tools/call";
      sendResult(message, response, isCall ? { resultType: "task", taskId: "t" } : state);
    });
    await expect(talk(server.url, call)).rejects.toThrow(problem);
  });
});

describe("an endless response", () => {
  it.each(["application/json", "text/event-stream"])("as %s ends at --max-bytes", async (type) => {
    const server = await start((_, response) => {
      response.setHeader("content-type", type);
      const write = () => {
        while (!response.destroyed && response.write(": endless".repeat(1000))) {}
        if (!response.destroyed) response.once("drain", write);
      };
      write();
    });
    await expect(talk(server.url, call, { maxBytes: "1000000" })).rejects.toThrow(
      "The server sent more than 1000000 bytes. If you expect this, raise the limit with --max-bytes.",
    );
  });

  it("from a command ends at --max-bytes", async () => {
    const script =
      'const write = () => { while (process.stdout.write("x".repeat(9999))); process.stdout.once("drain", write); }; write();';
    const command = [process.execPath, "--eval", script];
    await expect(withServer({ kind: "command", command }, { maxBytes: "1000000" }, call)).rejects.toThrow(
      "--max-bytes",
    );
  });

  it("of headers is an error in one line", async () => {
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.write(`HTTP/1.1 200 OK\r\n${`x: ${"y".repeat(1000)}\r\n`.repeat(100)}`);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    await expect(talk(url, call)).rejects.toThrow(`${url} cannot be reached: Headers Overflow Error`);
    server.close();
  });
});

describe("a server that does not respond", () => {
  it("ends at --timeout, over HTTP and stdio", async () => {
    const server = await start(() => {});
    await expect(talk(server.url, call, { timeout: "1" })).rejects.toThrow(
      `${server.url} did not respond within 1 s. Raise the limit with --timeout.`,
    );
    const script =
      'process.stdin.once("data", () => console.log(JSON.stringify({ jsonrpc: "2.0", id: 1, result: {} }))); process.stdin.resume();';
    const silent = withServer(
      { kind: "command", command: [process.execPath, "--eval", script] },
      { timeout: "1" },
      call,
    );
    await expect(silent).rejects.toThrow("did not respond within 1 s");
  });

  const opened = {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "old", version: "1" },
  };

  it.each<[string, Respond]>([
    ["to anything", () => {}],
    ["after the head of a response", (_, response) => response.writeHead(200).flushHeaders()],
    ["after the head of a stream", (_, response) => response.writeHead(200, STREAM).write(": hello\n\n")],
    ["over the older transport", ({ id }, response) => id !== undefined && response.writeHead(404).end()],
    [
      "once it has a session, not even to its end",
      ({ id, method }, response) => {
        if (method === "server/discover") response.writeHead(400).end();
        if (method === "initialize")
          sendJson(response.setHeader("mcp-session-id", "17"), { jsonrpc: "2.0", id, result: opened });
      },
    ],
  ])("ends at --timeout also while it connects: %s", async (_, respond) => {
    const server = await startRaw(respond);
    await expect(talk(server.url, (remote) => remote.listTools(), { timeout: "1" })).rejects.toThrow(
      `${server.url} did not respond within 1 s. Raise the limit with --timeout.`,
    );
  });

  it.runIf(process.platform !== "win32")("ends at --timeout, also if its process ignores every signal", async () => {
    const script = 'process.on("SIGTERM", () => {}); process.stdin.resume(); setInterval(() => {}, 1000);';
    const command = [process.execPath, "--eval", script];
    await expect(withServer({ kind: "command", command }, { timeout: "1" }, call)).rejects.toThrow("within 1 s");
  });

  it("leaves half of --timeout for the revisions before 2026-07-28", async () => {
    const server = await startRaw(({ id, method }, response) => {
      if (method === "initialize") sendJson(response, { jsonrpc: "2.0", id, result: opened });
      else if (id === undefined) response.writeHead(202).end();
    });
    expect(await talk(server.url, async (remote) => remote.serverInfo.name, { timeout: "6" })).toBe("old");
  });

  it.each([{ timeout: "x" }, { timeout: "-1" }, { maxBytes: "0" }, { maxBytes: "9999999999" }])(
    "rejects the limit %j",
    async (flags) => {
      await expect(talk("http://127.0.0.1:9/", call, flags)).rejects.toMatchObject({ name: "WrongUsage" });
    },
  );
});
