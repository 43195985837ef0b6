import { defineServer, defineTool, field, type LogEntry } from "proffer";
import { overrideOptions } from "proffer/derived";
import { serveHttp } from "proffer/http";
import { connect, type TestClient } from "proffer/testing";
import { describe, expect, it } from "vitest";
import { LOG_LEVELS } from "../src/protocol/model.ts";
import { Connection } from "../src/server/connection.ts";
import { stateOf } from "../src/server/server.ts";
import { linkHttp } from "./http/http-link.ts";
import { describeTransports, serviceOver, type Transports } from "./matrix.ts";
import { EVERY } from "./versions.ts";

const server = defineServer({
  name: "s",
  version: "1",
  tools: [
    defineTool({
      name: "finish",
      handle: (_, ctx) => {
        server.sendLog("notice", "during a call");
        ctx.log("notice", "of the call");
      },
    }),
  ],
});

const TRANSPORTS: Transports = {
  memory: async () => ({ connect: (options) => connect(server, options), close() {} }),
  HTTP: async () => {
    const service = await serveHttp(server, { port: 0 });
    return serviceOver(linkHttp(service.url), () => service.close());
  },
};

const logsOf = (client: TestClient) =>
  client.notifications.filter(({ method }) => method === "notifications/message").map(({ params }) => params);

describeTransports(TRANSPORTS, { revisions: EVERY }, (leg) => {
  const perRequest = leg.revision >= "2026-07-28";

  /** Waits for the log messages of a client; where the revision has none, until they would have come. */
  async function expectLogs(client: TestClient, expected: readonly object[]): Promise<void> {
    if (perRequest) await client.listTools();
    await expect.poll(() => logsOf(client)).toEqual(perRequest ? [] : expected);
  }

  it("sends a log message outside a call to each client that wants its level, where the revision has them", async () => {
    const [quiet, loud] = [await leg.connect(), await leg.connect()];
    if (!perRequest) await quiet.request("logging/setLevel", { level: "alert" });
    if (!perRequest) await loud.request("logging/setLevel", { level: "debug" });
    for (const client of [quiet, loud]) await client.listTools();
    for (const level of LOG_LEVELS) server.sendLog(level, { level }, "jobs");
    server.sendLog("emergency", undefined);
    const from = (lowest: string) => [
      ...LOG_LEVELS.slice(LOG_LEVELS.indexOf(lowest as never)).map((level) => ({
        level,
        logger: "jobs",
        data: { level },
      })),
      { level: "emergency", data: null },
    ];
    await expectLogs(quiet, from("alert"));
    await expectLogs(loud, from("debug"));
  });

  it("sends messages of level info and above to a session that set no level", async () => {
    const client = await leg.connect();
    await client.listTools();
    server.sendLog("debug", "hidden");
    server.sendLog("info", "shown");
    await expectLogs(client, [{ level: "info", data: "shown" }]);
  });

  it("sends a message during a call beside those of the call", async () => {
    const client = await leg.connect();
    await client.call("finish", undefined, perRequest ? { logLevel: "notice" } : {});
    const data = () => logsOf(client).map((params) => params.data);
    await expect.poll(() => data().sort()).toEqual(perRequest ? ["of the call"] : ["during a call", "of the call"]);
  });
});

describe("sendLog", () => {
  it("sends nothing to a client that does not read its messages, or has not finished its handshake", () => {
    const sent: string[] = [];
    let reading = true;
    const connection = new Connection(stateOf(server), {
      transport: "memory",
      send: (wire) => sent.push(String(wire)),
      isReading: () => reading,
    });
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };
    connection.receive(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }));
    server.sendLog("error", "too early");
    connection.receive(JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }));
    server.sendLog("error", "read");
    reading = false;
    server.sendLog("error", "unread");
    reading = true;
    connection.close();
    server.sendLog("error", "closed");
    expect(sent.slice(1).map((text) => JSON.parse(text).params.data)).toEqual(["read"]);
  });

  it.each([
    ["a bigint", 1n],
    [
      "an object with a getter that throws",
      Object.defineProperty({}, "a", {
        enumerable: true,
        get: () => {
          throw 1;
        },
      }),
    ],
  ])("reports data that is not JSON, and does not throw: %s", async (_what, data) => {
    const logged: LogEntry[] = [];
    const own = defineServer({ name: "s", version: "1", log: (entry) => logged.push(entry) });
    own.sendLog("error", data);
    expect(logged).toMatchObject([{ level: "error", message: "The data of sendLog cannot be serialized as JSON" }]);
  });
});

describe("ctx.log after the end of a call", () => {
  /** A tool whose work continues after its result; `finish` logs and returns the log of the server. */
  async function lateLogger(development: boolean, handle: "returns" | "asks" | "is cancelled") {
    const logged: LogEntry[] = [];
    let finish = () => {};
    const tool = defineTool({
      name: "t",
      handle: async (_, ctx) => {
        finish = () => {
          ctx.log("info", "late");
          ctx.log("info", "later");
        };
        if (handle === "asks") await ctx.ask("Sure?", { sure: field.boolean() });
        if (handle === "is cancelled") await new Promise(() => {});
        return "done";
      },
    });
    const own = defineServer({ name: "s", version: "1", tools: [tool], log: (entry) => logged.push(entry) });
    return { server: overrideOptions(own, { development }), logged, finish: () => finish() };
  }

  const warnings = (logged: readonly LogEntry[]) => logged.filter(({ level }) => level === "warning");

  it.each(EVERY)("is reported once during development in %s", async (revision) => {
    const { server: own, logged, finish } = await lateLogger(true, "returns");
    const client = await connect(own, { revision });
    await client.call("t");
    finish();
    expect(warnings(logged)).toEqual([
      {
        level: "warning",
        message: expect.stringMatching(/^ctx\.log was called after the call had ended.*use server\.sendLog\.$/),
        method: "tools/call",
        name: "t",
      },
    ]);
    expect(client.notifications).toEqual([]);
    await client.call("t");
    finish();
    expect(warnings(logged)).toHaveLength(2);
  });

  it("is not reported in production", async () => {
    const { server: own, logged, finish } = await lateLogger(false, "returns");
    await (await connect(own)).call("t");
    finish();
    expect(warnings(logged)).toEqual([]);
  });

  it("is not reported for a run that a question left behind", async () => {
    const { server: own, logged, finish } = await lateLogger(true, "asks");
    const client = await connect(own, { answers: [{ sure: true }] });
    const rounds: unknown[] = [];
    await client
      .call("t", undefined, {
        onRound: ({ resultType }) => {
          rounds.push(resultType);
          if (resultType === "input_required") finish();
        },
      })
      .catch(() => {});
    expect(rounds).toEqual(["input_required", "complete"]);
    expect(warnings(logged)).toHaveLength(0);
  });

  it("is not reported for a call that the client cancelled", async () => {
    const { server: own, logged, finish } = await lateLogger(true, "is cancelled");
    const client = await connect(own);
    const stop = new AbortController();
    const call = client.call("t", undefined, { signal: stop.signal });
    await client.listTools();
    stop.abort();
    await call.catch(() => {});
    await client.listTools();
    finish();
    expect(warnings(logged)).toEqual([]);
  });
});
