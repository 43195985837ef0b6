import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { connect, connectOver, type Link, linkUrl } from "proffer/client";
import { afterEach, describe, expect, it } from "vitest";

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly [name: string]: unknown };
}

type Respond = (message: Message, response: ServerResponse, request: IncomingMessage) => void;

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function serve(respond: Respond): Promise<string> {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    respond(JSON.parse(body || "{}"), response, request);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

function answer(response: ServerResponse, { id }: Message, result: object, headers = {}): void {
  response.writeHead(200, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
}

const MODERN = { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: { tools: {} } };
const OLD = { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: "old", version: "1" } };

describe("the era of a server", () => {
  const refusals: readonly [string, (response: ServerResponse, message: Message) => void][] = [
    ["an unknown method", (response, { id }) => refuse(response, 200, id, { code: -32601, message: "?" })],
    ["a missing session", (response, { id }) => refuse(response, 400, id, { code: -32000, message: "no session" })],
    ["a page", (response) => void response.writeHead(404, { "content-type": "text/html" }).end("<h1>404</h1>")],
    [
      "a version, with older ones",
      (response, { id }) =>
        refuse(response, 400, id, { code: -32022, message: "?", data: { supported: ["2025-06-18"] } }),
    ],
  ];

  function refuse(response: ServerResponse, status: number, id: unknown, error: object): void {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id, error }));
  }

  it.each(refusals)("is older if it answers server/discover with %s", async (_, refusal) => {
    const versions: unknown[] = [];
    const url = await serve((message, response, request) => {
      if (message.method === "server/discover") return refusal(response, message);
      if (message.method === "initialize") return answer(response, message, OLD);
      if (request.method !== "POST") return response.writeHead(405).end();
      versions.push(request.headers["mcp-protocol-version"]);
      if (message.id === undefined) return response.writeHead(202).end();
      answer(response, message, { content: [] });
    });
    await using client = await connect(url);
    expect(client.revision).toBe("2025-06-18");
    await client.call("x");
    expect(versions).toEqual(["2025-06-18", "2025-06-18"]);
  });

  it.each([401, 403, 429, 500, 503])("is unknown after status %s: nothing else is tried", async (status) => {
    const methods: unknown[] = [];
    const url = await serve(({ method }, response) => {
      methods.push(method);
      response.writeHead(status, { "www-authenticate": 'Bearer scope="a"' }).end();
    });
    await expect(connect(url)).rejects.toMatchObject({ kind: "status", status, challenge: 'Bearer scope="a"' });
    expect(methods).toEqual(["server/discover"]);
  });

  it("is unknown if nothing answers", async () => {
    await expect(connect("http://127.0.0.1:9/mcp")).rejects.toMatchObject({
      kind: "unreachable",
      message: expect.stringMatching(/^http:\/\/127\.0\.0\.1:9\/mcp cannot be reached: /),
    });
    await expect(connect({ command: "no-such-command" })).rejects.toThrow("no-such-command could not be started");
  });

  it("is asked again for a version that it lists when it refuses one, once", async () => {
    const methods: unknown[] = [];
    const refuse = async (times: number) => {
      methods.length = 0;
      const url = await serve((message, response) => {
        methods.push(message.method);
        if (methods.length > times) return answer(response, message, MODERN);
        const error = { code: -32022, message: "not now", data: { supported: ["2024-11-05", "2026-07-28"] } };
        response.writeHead(400, { "content-type": "application/json" });
        response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, error }));
      });
      return connect(url);
    };
    await using client = await refuse(1);
    expect(client.revision).toBe("2026-07-28");
    await expect(refuse(3)).rejects.toMatchObject({ code: -32022, method: "server/discover" });
    expect(methods).toEqual(["server/discover", "server/discover"]);
  });

  it("is newer than the client if it names only unknown revisions", async () => {
    const url = await serve((message, response) =>
      answer(response, message, { ...MODERN, supportedVersions: ["2031-01-01"] }),
    );
    await expect(connect(url)).rejects.toThrow(`${url} supports only the revisions 2031-01-01.`);
  });

  it("is older if a command ends or is silent when it is asked", async () => {
    const respond = `({ id, method }) => method === "initialize" &&
      console.log(JSON.stringify({ jsonrpc: "2.0", id, result: ${JSON.stringify(OLD)} }))`;
    const lines = `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => `;
    const ends = `${lines} { const m = JSON.parse(line); if (m.method === "server/discover") process.exit(1); (${respond})(m); })`;
    const silent = `${lines} (${respond})(JSON.parse(line)))`;
    for (const [program, timeout] of [
      [ends, 0],
      [silent, 4000],
    ] as const) {
      await using client = await connect({ command: process.execPath, args: ["-e", program] }, { timeout });
      expect(client.revision).toBe("2025-06-18");
    }
  });
});

describe("a connection that is lost", () => {
  it("is made again, once, when a session was forgotten; the request was not read", async () => {
    let sessions = 0;
    const calls: unknown[] = [];
    const url = await serve((message, response, request) => {
      const session = request.headers["mcp-session-id"];
      if (message.method === "initialize") {
        return answer(response, message, OLD, { "mcp-session-id": `s${++sessions}` });
      }
      if (request.method !== "POST") return response.writeHead(405).end();
      if (message.id === undefined) return response.writeHead(202).end();
      calls.push(session);
      if (session === "s1") return response.writeHead(404).end();
      answer(response, message, { content: [] });
    });
    await using client = await connect(url, { revision: "2025-06-18" });
    expect(await Promise.all([client.call("a"), client.call("b")])).toEqual([{ content: [] }, { content: [] }]);
    expect(sessions).toBe(2);
    expect(calls.slice(-2)).toEqual(["s2", "s2"]);
  });

  it("is not half open after a second connection that the server refuses", async () => {
    let refuses = false;
    const url = await serve((message, response, request) => {
      if (message.method === "initialize") {
        if (!refuses) return answer(response, message, OLD, { "mcp-session-id": "s1" });
        response.writeHead(200, { "content-type": "application/json" });
        return response.end(JSON.stringify({ id: message.id, error: { code: -32603, message: "full" } }));
      }
      if (request.method !== "POST") return response.writeHead(405).end();
      if (message.id === undefined) return response.writeHead(202).end();
      if (refuses) return response.writeHead(404).end();
      answer(response, message, { content: [] });
    });
    await using client = await connect(url, { revision: "2025-06-18" });
    await client.call("x");
    refuses = true;
    for (let tries = 0; tries < 2; tries++) {
      await expect(client.call("x")).rejects.toThrow(`${url} could not be connected again: full`);
    }
    refuses = false;
    expect(await client.call("x")).toEqual({ content: [] });
  });

  it("fails the calls of a process that dies, and starts another for the next", async () => {
    const program = `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method, params } = JSON.parse(line);
      if (params?.name === "die") process.exit(7);
      const result = method === "server/discover" ? ${JSON.stringify(MODERN)} : { content: [{ type: "text", text: String(process.pid) }] };
      console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
    })`;
    await using client = await connect({ command: process.execPath, args: ["-e", program] });
    const pid = async () => JSON.stringify((await client.call("pid")).content);
    const first = await pid();
    const lost = await Promise.allSettled([client.call("die"), client.call("other")]);
    for (const each of lost) {
      expect(each).toMatchObject({ status: "rejected", reason: { kind: "ended" } });
    }
    expect(String((lost[0] as PromiseRejectedResult).reason)).toContain("ended (exit code 7)");
    expect(await pid()).not.toBe(first);
  });
});

describe("what a server sends", () => {
  /** A server that answers each request by these messages. */
  function fake(respond: (message: Message) => readonly unknown[]): Link {
    return (receive) => ({
      send(text) {
        const message: Message = JSON.parse(text);
        const replies = message.method === "server/discover" ? [{ id: message.id, result: MODERN }] : respond(message);
        queueMicrotask(() => {
          for (const each of replies) receive(typeof each === "string" ? each : JSON.stringify(each));
        });
      },
      close() {},
    });
  }

  it("with other ids, twice, or without the form of a message is dropped", async () => {
    const right = { content: [{ type: "text", text: "right" }] };
    const client = await connectOver(
      fake(({ id }) => [
        ...["", "null", "[[]]", "{", '"x"', { id: 99, result: {} }, { id: String(id), result: {} }],
        ...[{ method: "notifications/progress", params: 7 }, { method: 5 }, { id: {}, method: "ping" }],
        [{ id, result: right }],
        { id, result: { content: [] } },
      ]),
    );
    expect(await client.call("x")).toEqual(right);
    expect(await client.call("x")).toEqual(right);
  });

  it("is bounded: questions at once, bytes of a message", async () => {
    const answered: string[] = [];
    const questions = Array.from({ length: 200 }, (_, n) => ({
      id: `q${n}`,
      method: "elicitation/create",
      params: {},
    }));
    const link: Link = (receive) => ({
      send(text) {
        const message: Message & { readonly error?: unknown } = JSON.parse(text);
        if (message.method === "initialize") receive(JSON.stringify({ id: message.id, result: OLD }));
        else if (message.method === "tools/call") for (const each of questions) receive(JSON.stringify(each));
        else if (message.error !== undefined) answered.push(text);
      },
      close() {},
    });
    const answers = () => new Promise<never>(() => {});
    const client = await connectOver(link, { revision: "2025-06-18", answers });
    const call = client.call("x", {}, { timeout: 200 });
    await expect(call).rejects.toMatchObject({ kind: "timeout" });
    expect(answered).toHaveLength(100);

    const url = await serve((message, response) => {
      if (message.method === "server/discover") return answer(response, message, MODERN);
      answer(response, message, { content: [{ type: "text", text: "x".repeat(100_000) }] });
    });
    await using small = await connect(url, { maxBytes: 50_000 });
    await expect(small.call("x")).rejects.toThrow("The server sent a message of more than 50000 bytes.");
    expect(small.revision).toBe("2026-07-28");
  });

  it("is asked with the headers of the caller, made anew for each request, or the reason why there are none", async () => {
    const seen: unknown[] = [];
    const url = await serve((message, response, { headers }) => {
      seen.push([headers.authorization, headers.accept, headers["mcp-method"]]);
      answer(response, message, message.method === "server/discover" ? MODERN : { content: [] });
    });
    let count = 0;
    const headers = () => {
      if (++count > 2) throw new Error("signed out");
      return { Authorization: `Bearer ${count}`, Accept: "x/y", "Mcp-Method": "x" };
    };
    await using client = await connect(url, { headers });
    await client.call("x");
    const accept = "application/json, text/event-stream";
    expect(seen).toEqual([
      ["Bearer 1", accept, "server/discover"],
      ["Bearer 2", accept, "tools/call"],
    ]);
    await expect(client.call("x")).rejects.toThrow(`The headers for ${url} could not be made: signed out`);
  });

  it("does not make one call wait for another", async () => {
    const waiting: (() => void)[] = [];
    const url = await serve((message, response) => {
      if (message.method === "server/discover") return answer(response, message, MODERN);
      waiting.push(() => answer(response, message, { content: [] }));
      if (waiting.length === 5) for (const each of waiting.reverse()) each();
    });
    await using client = await connect(url);
    const calls = Array.from({ length: 5 }, () => client.call("x"));
    expect(await Promise.all(calls)).toHaveLength(5);
  });

  it("learns which arguments are headers when it must", async () => {
    const seen: unknown[] = [];
    const schema = { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } };
    const url = await serve((message, response, { headers }) => {
      if (message.method === "server/discover") return answer(response, message, MODERN);
      if (message.method === "tools/list") {
        return answer(response, message, { tools: [{ name: "x", inputSchema: schema }] });
      }
      seen.push(headers["mcp-param-region"]);
      if (headers["mcp-param-region"] !== undefined) return answer(response, message, { content: [] });
      response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify({ id: message.id, error: { code: -32020, message: "header" } }));
    });
    await using client = await connect(url);
    await client.call("x", { region: "eu" });
    expect(seen).toEqual([undefined, "eu"]);
  });

  it("arrives whole also if a function of the caller throws, which is reported", async () => {
    const caught: unknown[] = [];
    const earlier = process.listeners("uncaughtException");
    process.removeAllListeners("uncaughtException").on("uncaughtException", (error) => caught.push(error));
    closers.push(() => {
      process.removeAllListeners("uncaughtException");
      for (const each of earlier) process.on("uncaughtException", each);
    });
    const program = `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method } = JSON.parse(line);
      if (method === "tools/call") console.log(JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params: {} }));
      const result = method === "server/discover" ? ${JSON.stringify(MODERN)} : { content: [] };
      console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
    })`;
    const onNotification = () => {
      throw new Error("mine");
    };
    await using client = await connect({ command: process.execPath, args: ["-e", program] }, { onNotification });
    expect([await client.call("x"), await client.call("x")]).toEqual([{ content: [] }, { content: [] }]);
    expect(caught.map(String)).toEqual(["Error: mine", "Error: mine"]);
  });

  it("a closed client rejects", async () => {
    const client = await connectOver(fake(() => []));
    const call = client.call("x");
    await client.close();
    await expect(call).rejects.toThrow("The client was closed.");
    await expect(client.call("x")).rejects.toThrow("The client was closed.");
  });
});

describe("a server that floods its client", () => {
  const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";
  const answered = (id: unknown, result: object) => JSON.stringify({ jsonrpc: "2.0", id, result });

  /** A server that does this with each message after the first response. */
  function link(begin: object, respond: (message: Message, receive: (text: string) => void) => void): Link {
    return (receive) => ({
      send(text) {
        const message: Message = JSON.parse(text);
        const isFirst = message.method === "server/discover" || message.method === "initialize";
        if (isFirst) queueMicrotask(() => receive(answered(message.id, begin)));
        else respond(message, receive);
      },
      close() {},
    });
  }

  it.each([
    ["pings", (_id: unknown) => '{"jsonrpc":"2.0","id":"p","method":"ping"}'],
    [
      "progress that nobody wants",
      (id: unknown) => `{"method":"notifications/progress","params":{"progressToken":${id},"progress":1}}`,
    ],
  ])("by %s does not hold a request open", async (_, textOf) => {
    let timer: ReturnType<typeof setInterval> | undefined;
    closers.push(() => clearInterval(timer));
    const client = await connectOver(
      link(OLD, ({ id, method }, receive) => {
        if (method === "tools/call") timer = setInterval(() => receive(textOf(id)), 5);
      }),
      { revision: "2025-06-18", timeout: 100 },
    );
    await expect(client.call("x")).rejects.toMatchObject({ kind: "timeout" });
  });

  it("by pings over HTTP, whose answers it does not take, is disconnected", async () => {
    const pings = Array.from({ length: 2000 }, (_, id) => `data: {"jsonrpc":"2.0","id":${id},"method":"ping"}\n\n`);
    const url = await serve((message, response) => {
      if (message.method === "initialize") answer(response, message, OLD);
      else if (message.method === "tools/call") {
        response.writeHead(200, { "content-type": "text/event-stream" }).write(pings.join(""));
      } else if (message.method !== undefined) response.writeHead(202).end();
    });
    await using client = await connect(url, { revision: "2025-06-18" });
    await expect(client.call("x")).rejects.toThrow(`${url} sends requests, but does not take the answers.`);
  });

  it("by pings over stdio, whose answers it does not take, is ended", async () => {
    const program = `
      const init = ${JSON.stringify(OLD)};
      process.stdin.once("data", (data) => {
        const { id } = JSON.parse(String(data).split("\\n")[0]);
        console.log(JSON.stringify({ jsonrpc: "2.0", id, result: init }));
        process.stdin.once("data", () => {
          process.stdin.pause();
          const pings = '{"jsonrpc":"2.0","id":"' + "p".repeat(100) + '","method":"ping"}\\n';
          setInterval(() => process.stdout.write(pings.repeat(1000)), 1);
        });
      });`;
    await using client = await connect(
      { command: process.execPath, args: ["-e", program] },
      { revision: "2025-06-18", maxBytes: 300_000 },
    );
    await expect(client.call("x")).rejects.toThrow("sends requests, but does not take the answers.");
  });

  it.each([
    ["cursors", (page: number) => ({ tools: [], nextCursor: `${page}${"c".repeat(50_000_000)}` })],
    [
      "entries",
      (page: number) => ({ tools: [{ name: "x".repeat(50_000_000), inputSchema: {} }], nextCursor: `${page}` }),
    ],
  ])("by %s of many megabytes is refused", async (_, pageOf) => {
    let pages = 0;
    const client = await connectOver(
      link(MODERN, ({ id }, receive) => {
        pages++;
        queueMicrotask(() => receive(answered(id, { resultType: "complete", ...pageOf(pages) })));
      }),
    );
    await expect(client.listTools()).rejects.toThrow("tools/list has more than 134217728 characters.");
    expect(pages).toBe(3);
  });

  it("by large changes that nobody has read yet loses the last of them", async () => {
    let receive: (text: string) => void = () => {};
    const notify = (method: string, params: object) =>
      receive(JSON.stringify({ jsonrpc: "2.0", method, params: { ...params, _meta: { [SUBSCRIPTION]: 2 } } }));
    const client = await connectOver(
      link(MODERN, (_, accept) => {
        receive = accept;
        queueMicrotask(() => notify("notifications/subscriptions/acknowledged", {}));
      }),
    );
    const changes = await client.listen({ uris: ["a://b"] });
    const change = (n: number) => notify("notifications/resources/updated", { uri: `a://b/${n}`, x: "x".repeat(1e6) });
    const read = async (count: number) => {
      const seen: unknown[] = [];
      for await (const { params } of changes) if (seen.push(params.uri) === count) return seen;
    };
    // The same one again takes no more room.
    for (let n = 0; n < 20; n++) change(0);
    for (let n = 1; n < 30; n++) change(n);
    expect(await read(16)).toEqual(Array.from({ length: 16 }, (_, n) => `a://b/${n}`));
    change(30);
    expect(await read(1)).toEqual(["a://b/30"]);
  });

  it("by lists that were not asked for does not fill the memory with headers", async () => {
    const seen: unknown[] = [];
    const list = (name: string) => ({
      tools: [{ name, inputSchema: { properties: { a: { type: "string", "x-mcp-header": "A" } } } }],
    });
    const url = await serve((message, response, request) => {
      if (message.method === "server/discover") return answer(response, message, MODERN);
      seen.push(request.headers["mcp-param-a"]);
      if (message.method === "tools/list") return answer(response, message, { resultType: "complete", ...list("y") });
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`data: ${answered("other", list("x"))}\n\n`);
      response.end(`data: ${answered(message.id, { resultType: "complete", content: [] })}\n\n`);
    });
    await using client = await connect(url, { cache: false });
    await client.call("x", { a: "1" });
    await client.call("x", { a: "1" });
    await client.listTools();
    await client.call("y", { a: "1" });
    expect(seen).toEqual([undefined, undefined, undefined, "1"]);
  });

  it("is read to the end for a message that the user of a link sends", async () => {
    const texts = Array.from({ length: 5 }, (_, n) => answered(n, {}));
    const url = await serve((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(texts.map((text) => `data: ${text}\n\n`).join(""));
    });
    const received: string[] = [];
    const opened = linkUrl(url)((text) => received.push(text), { isPending: () => false, fail: () => {} });
    closers.push(() => opened.close());
    opened.send('{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{}}');
    await expect.poll(() => received).toEqual(texts);
  });

  it("after its response is not read on", async () => {
    const closed = new Promise<void>((resolve) => {
      void serve((message, response) => {
        if (message.method === "server/discover") return answer(response, message, MODERN);
        response.writeHead(200, { "content-type": "text/event-stream" }).on("close", resolve);
        response.write(`data: ${answered(message.id, { resultType: "complete", content: [] })}\n\n`);
        const timer = setInterval(() => response.write('data: {"method":"notifications/x"}\n\n'), 5);
        closers.push(() => clearInterval(timer));
      }).then(async (url) => {
        const client = await connect(url);
        closers.push(() => client.close());
        await client.call("x");
      });
    });
    await closed;
  });
});

describe("the target", () => {
  it.each([
    ["ftp://x/", "is not a URL of http: or https:"],
    ["shop.ts", "For a command, pass { command }."],
    ["https://a:b@x/", "contains a user name or a password"],
  ])("%s is refused", async (url, problem) => {
    await expect(connect(url)).rejects.toThrow(problem);
  });

  it("that is a command gets no secrets of this process", async () => {
    process.env.CLIENT_TEST_SECRET = "s3cret";
    closers.push(() => delete process.env.CLIENT_TEST_SECRET);
    const program = `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id } = JSON.parse(line);
      const result = { ...${JSON.stringify(MODERN)}, instructions: String(process.env.CLIENT_TEST_SECRET) + typeof process.env.PATH };
      console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
    })`;
    await using client = await connect({ command: process.execPath, args: ["-e", program] });
    expect(client.instructions).toBe("undefinedstring");
  });
});
