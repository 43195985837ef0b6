import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { LogEntry } from "proffer";
import { createFetchHandler } from "proffer/fetch";
import { serveHttp } from "proffer/http";
import { connect } from "proffer/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { distFile } from "./dist.ts";
import { ENTRIES } from "./entries.ts";
import { type Fault, HOOKS, type Hook, type Outcome, RETURNED, serveHook } from "./hooks.ts";
import { modern, modernHeaders, postModern, present } from "./http/http-client.ts";

const ERROR = new Error("of the hook");
/** Its conversion to a string throws. */
const BARE = Object.create(null);

const FAULTS: Record<Fault, (hook: Hook) => unknown> = {
  throws: () => {
    throw ERROR;
  },
  rejects: () => Promise.reject(ERROR),
  "throws a bare object": () => {
    throw BARE;
  },
  "returns nonsense": ({ nonsenseValue }) => nonsenseValue,
  "never settles": () => new Promise(() => {}),
};

/** Failures that would end a process without a handler. */
const fatal: unknown[] = [];
const note = (error: unknown) => void fatal.push(error);

beforeEach(() => {
  fatal.length = 0;
  process.on("unhandledRejection", note);
  process.on("uncaughtException", note);
});

afterEach(() => {
  process.off("unhandledRejection", note);
  process.off("uncaughtException", note);
  vi.restoreAllMocks();
});

/** Serves the hook, which misbehaves once as soon as it is armed. Returns the outcomes of two requests. */
async function useTwice(hook: Hook, fault: Fault) {
  const logged: LogEntry[] = [];
  let armed = false;
  const misbehaving = (...values: unknown[]) => {
    if (!armed) return hook.works(...values);
    armed = false;
    return FAULTS[fault](hook);
  };
  if (hook.isSync && hook.failed === "undefinable") armed = true;
  const server = serveHook(hook, misbehaving, (entry) => logged.push(entry));
  const send = await sender(hook, server, misbehaving);
  armed = true;
  const first = await outcomeOf(send());
  await expect.poll(() => armed).toBe(false);
  return { first, second: await outcomeOf(send()), logged };
}

async function sender(hook: Hook, server: ReturnType<typeof serveHook>, misbehaving: () => unknown) {
  if (hook.isLifespan) return () => callOnce(server);
  if (hook.http === undefined) {
    const client = await connect(server, { answers: [{ ok: true }, { ok: true }] });
    return async () => (hook.request ?? (() => client.request("tools/list")))(client);
  }
  const service = await serveHttp(server, { port: 0, ...hook.http(misbehaving) });
  closing.push(() => service.close());
  return async () => {
    const { status, json } = await postModern(service.url, modern("tools/list"));
    if (status === 200) return json.result;
    throw json.error;
  };
}

/** Calls the tool through a handler of its own. */
async function callOnce(server: ReturnType<typeof serveHook>): Promise<unknown> {
  const handler = createFetchHandler(server);
  const message = modern("tools/call", { name: "t", arguments: {} });
  const headers = present(modernHeaders(message)) as Record<string, string>;
  const init = { method: "POST", headers, body: JSON.stringify(message) };
  const response = await handler(new Request("http://localhost/mcp", init));
  await handler.close();
  const { result, error } = (await response.json()) as { result?: object; error?: object };
  if (result === undefined) throw error;
  return result;
}

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function outcomeOf(request: Promise<unknown>): Promise<Outcome> {
  try {
    return ((await request) as { isError?: boolean }).isError ? "tool error" : "served";
  } catch (error) {
    return (error as { code: number }).code === -32603 ? "internal error" : "refused";
  }
}

function expected(hook: Hook, fault: Fault): Outcome | undefined {
  if (fault === "returns nonsense") return hook.nonsense;
  return fault === "never settles" ? hook.late : hook.failed;
}

const rows = Object.entries<Hook>({ ...HOOKS, ...RETURNED }).flatMap(([name, hook]) =>
  (Object.keys(FAULTS) as Fault[])
    .filter((fault) => expected(hook, fault) !== undefined && !(hook.isSync && fault === "rejects"))
    .map((fault) => [name, fault, hook] as const),
);

describe("a hook of the author", () => {
  it.each(rows)("%s that %s harms one request only", async (_name, fault, hook) => {
    const written = vi.spyOn(console, "error").mockImplementation(() => {});
    const outcome = expected(hook, fault);
    if (outcome === "undefinable") {
      await expect(useTwice(hook, fault)).rejects.toMatchObject({ name: "UsageError" });
      return;
    }
    const { first, second, logged } = await useTwice(hook, fault);
    const healthy = hook.alwaysFails ? "tool error" : "served";
    expect({ first, second }).toEqual({ first: outcome, second: healthy });
    const isError = !(
      (hook.tolerant && fault === "returns nonsense") ||
      (outcome === "served" && fault === "never settles")
    );
    const lines = () => written.mock.calls.filter(([line]) => String(line).includes("log function failed"));
    if (hook.loggedTo === "console") {
      const isReported = isError && fault !== "never settles";
      await expect.poll(() => lines().length).toBe(isReported ? 1 : 0);
    } else {
      const errors = () => logged.filter(({ level }) => level === "error");
      const isUnlogged = hook.loggedTo === "nowhere";
      const isToolLimit = outcome === "tool error" && fault === "never settles" && !hook.alwaysFails;
      const others = hook.alwaysFails ? 2 : 0;
      await expect.poll(() => errors().length).toBe(others + (isError && !isToolLimit && !isUnlogged ? 1 : 0));
      expect(lines()).toEqual([]);
    }
    await new Promise(setImmediate);
    expect(fatal).toEqual([]);
  });

  it.each(["throw", "reject"])("does not end the process if it is an HTTP log that %ss", (fault) => {
    const script = `
      import { defineServer } from ${JSON.stringify(pathToFileURL(distFile("index.js")).href)};
      import { serveHttp } from ${JSON.stringify(pathToFileURL(distFile("http.js")).href)};
      const log = ${fault === "throw" ? "" : "async"} () => { throw new Error("of the log"); };
      const service = await serveHttp(defineServer({ name: "s", version: "1", tools: [] }), { port: 0, log });
      for (let n = 0; n < 3; n++) console.log((await fetch(service.url, { method: "PUT" })).status);
      await service.close();`;
    const flags = ["--input-type=module", "--eval", script];
    const { status, stdout, stderr } = spawnSync(process.execPath, flags, { encoding: "utf8" });
    expect({ status, stdout }).toEqual({ status: 0, stdout: "405\n405\n405\n" });
    const reports = stderr
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const report = { message: "The HTTP log function failed", method: "PUT", error: { message: "of the log" } };
    expect(reports).toMatchObject([report, report, report]);
  });

  it("is in the table if its options are public", () => {
    const table = readFileSync(new URL("./hooks.ts", import.meta.url), "utf8");
    // The others take no functions for a server.
    const entries = ENTRIES.filter((name) => !["client", "client/oauth", "testing", "uri", "ajv"].includes(name));
    const text = entries.map((name) => readFileSync(new URL(`../src/${name}.ts`, import.meta.url), "utf8")).join("");
    const types = new Set(text.match(/\b\w+Options\b/g));
    // They have no functions, have their own tests (TelemetryOptions, RedisOptions, BullmqOptions), are parts of an options type in the table, or are internal (ProcessOptions).
    const others = [
      ...[
        "ApiKeysOptions",
        "AskOptions",
        "BlockOptions",
        "CharsetOptions",
        "ConfineOptions",
        "FailOptions",
        "FieldOptions",
        "FixedResourceOptions",
      ],
      ...["GuardOptions", "HttpOptions", "IntegerOptions", "LinesOptions", "NodeHttpOptions", "ParamOptions"],
      ...["PatternOptions", "ResourceOptions", "ResultOptions", "SampleOptions", "SessionOptions", "SliceOptions"],
      ...["CacheOptions", "IntrospectionOptions", "IssuerOptions", "MountOptions", "ServerCardOptions", "SkillOptions"],
      ...["AuditOptions", "CacheResultsOptions", "TelemetryOptions"],
      ...["BullmqOptions", "QueueWorkOptions", "RedisOptions"],
      ...["ProcessOptions", "SettingsOptions", "TruncateJsonOptions", "TruncateTextOptions"],
    ];
    expect([...types].filter((type) => !table.includes(`  ${type}: `) && !others.includes(type))).toEqual([]);
  });
});
