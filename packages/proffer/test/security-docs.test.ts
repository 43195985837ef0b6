import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { MAX_COMPLETIONS } from "../src/catalog/completion.ts";
import { TASK_LIMITS } from "../src/features/tasks/record.ts";
import { MAX_QUESTIONS } from "../src/features/tasks/run.ts";
import { checkOptions } from "../src/nodes/redis/redis.ts";
import { COOL_DOWN, FRESH, MAX_KEYS, STALE } from "../src/oauth/issuer.ts";
import { MAX_REFUSED, REFUSED_TIME } from "../src/oauth/oauth.ts";
import { FETCH_TIMEOUT, toSettings } from "../src/oauth/settings.ts";
import { MAX_INTROSPECTIONS } from "../src/oauth/verify.ts";
import { MAX_RESPONSE } from "../src/outgoing/options.ts";
import { MAX_DEPTH } from "../src/protocol/parse.ts";
import { MAX_WORK } from "../src/schema/json-schema/run.ts";
import { toServerLimits } from "../src/server/limits.ts";
import { MAX_HEADER } from "../src/transports/http/challenge.ts";
import { toLimits } from "../src/transports/http/options.ts";
import { MAX_TEMPLATE_LENGTH, MAX_URI_LENGTH } from "../src/uri/parse.ts";

const text = read("../../../docs/security.md");
const [, limits = ""] = text.split("## Limits\n");
const rows = limits
  .split("\n")
  .filter((line) => line.startsWith("| "))
  .map((line) => line.slice(2, -2).split(" | "));

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), "utf8");
}

/** The options in the table with their defaults, such as `sessions.max` and `10,000`, for one function or all. */
function writtenFor(owner?: string): Map<string, string> {
  return new Map(
    rows
      .filter(([name = "", of = ""]) => name.startsWith("`") && (owner === undefined || of.includes(owner)))
      .map(([name = "", , value = ""]) => [name.replaceAll("`", ""), value]),
  );
}

function toNumber(value: string): number {
  const [, digits = "", unit = ""] = /^([\d,]+) ?(\S*)$/.exec(value) ?? [];
  const factors: Record<string, number> = { "": 1, KiB: 1024, MiB: 1024 * 1024, minutes: 60_000 };
  return Number(digits.replaceAll(",", "")) * (factors[unit] ?? Number.NaN);
}

/** The defaults in the comments of the options in a file. */
function documented(file: string): [string, string][] {
  const found = read(file).matchAll(/Default: ([\d,]+(?: \w+)?)\b[^*]*\*\/\s+readonly (\w+)\?/g);
  return [...found].map(([, value = "", name = ""]) => [name, value]);
}

describe("the limits of docs/security.md", () => {
  it("say of each option who needs another value", () => {
    const options = rows.filter(([name = ""]) => name.startsWith("`"));
    expect(options.filter(([, , , , need = ""]) => need.length < 10)).toEqual([]);
  });

  it("match the HTTP endpoint", () => {
    const written = writtenFor("HTTP");
    const { keepAliveInterval: _notALimit, ...limits } = toLimits({}, "");
    const { idleTimeout, maxDataBytes, maxSessions, maxReplayBytes, reconnectTimeout, ...endpoint } = limits;
    const own = {
      "sessions.idleTimeout": idleTimeout,
      "sessions.reconnectTimeout": reconnectTimeout,
      "sessions.max": maxSessions,
      "sessions.maxReplayBytes": maxReplayBytes,
      "sessions.maxDataBytes": maxDataBytes,
    };
    for (const [name, value] of Object.entries({ ...endpoint, ...own })) {
      expect([name, toNumber(written.get(name) ?? "")]).toEqual([name, value]);
    }
  });

  it("match the server", () => {
    const written = writtenFor();
    for (const [name, value] of Object.entries({ ...TASK_LIMITS, ...toServerLimits(undefined, "") })) {
      expect([name, toNumber(written.get(`limits.${name}`) ?? "")]).toEqual([name, value]);
    }
  });

  it.each([
    ["../src/transports/stdio/serve.ts", "serveStdio"],
    ["../src/transports/http/node/server.ts", "serveHttp"],
    ["../src/server/options.ts", undefined],
  ])("match the option comments in %s", (file, owner) => {
    const written = writtenFor(owner);
    const options = documented(file).filter(([name]) => name !== "port" && name !== "host");
    expect(options.length).toBeGreaterThan(0);
    for (const [name, value] of options) expect([name, written.get(name)]).toEqual([name, value]);
  });

  it("match OAuth", () => {
    const options = { issuer: "https://a.example", resource: "https://b.example" };
    const introspection = { clientId: "id", clientSecret: "secret" };
    const settings = toSettings({ ...options, introspection });
    expect(Object.fromEntries([...writtenFor("oauth")].map(([name, value]) => [name, toNumber(value)]))).toEqual({
      "cache.size": settings.cache?.size,
      "cache.seconds": settings.cache?.seconds,
      clockTolerance: settings.clockTolerance,
      "introspection.seconds": settings.introspection?.seconds,
    });
    expect(fixedRows()).toMatchObject({
      "characters of an `Authorization` header; 400": MAX_HEADER.toLocaleString("en-US"),
      "milliseconds for a request to an authorization server": FETCH_TIMEOUT.toLocaleString("en-US"),
      "bytes of its response": `${MAX_RESPONSE / 1024} KiB`,
      "keys of one issuer": String(MAX_KEYS),
      "seconds between two attempts to fetch keys or metadata": String(COOL_DOWN / 1000),
      "minutes for which keys are used, and longer in an outage": `${FRESH / 60_000} and ${STALE / 60_000}`,
      "introspections in flight; 503": String(MAX_INTROSPECTIONS),
      [`refused tokens that are remembered, for ${REFUSED_TIME / 1000} seconds`]: MAX_REFUSED.toLocaleString("en-US"),
    });
  });

  it("match Redis", () => {
    const { commandTimeout, maxInFlight } = checkOptions({});
    const written = Object.fromEntries([...writtenFor("redis")].map(([name, value]) => [name, toNumber(value)]));
    expect(written).toEqual({ commandTimeout, maxInFlight });
  });

  it("match the constants of the code", () => {
    const fixed = fixedRows();
    expect(fixed).toMatchObject({
      "nesting levels of a message": String(MAX_DEPTH),
      "steps of one validation": MAX_WORK.toLocaleString("en-US"),
      "messages in a batch, where the revision has batches": constant("../src/calls/batch.ts", "MAX_BATCH"),
      "characters of a URI": MAX_URI_LENGTH.toLocaleString("en-US"),
      "characters of the template of a resource": MAX_TEMPLATE_LENGTH.toLocaleString("en-US"),
      "questions that a task asks at once; it fails": String(MAX_QUESTIONS),
      "rounds of questions in one call": constant("../src/questions/rounds.ts", "MAX_ROUNDS"),
      "values of one completion": String(MAX_COMPLETIONS),
    });
    expect(constant("../src/transports/http/node/exchange.ts", "MAX_HEADERS")).toBe("1000");
    expect(fixed["headers of an HTTP request; 431"]).toBe("1,000");
    expect(constant("../src/questions/rounds.ts", "MAX_STATE_LENGTH")).toBe("256 * 1024");
    expect(fixed["state of a question"]).toBe("256 KiB");
    expect(constant("../src/server/methods.ts", "MAX_DESCRIPTION")).toBe("4096");
    expect(fixed["characters of the description of a client in `initialize`, without its icons"]).toBe("4,096");
    expect(constant("../src/calls/exposed-error.ts", "MAX_ERROR_TEXT")).toBe("8192");
    expect(fixed["characters of an exception that `errors` exposes"]).toBe("8,192");
    expect(constant("../src/calls/store.ts", "MAX_KEYS")).toBe("100_000");
    expect(fixed["answers that single-use tools remember in memory"]).toBe("100,000");
    expect(constant("../src/nodes/memory-store.ts", "MAX_RECORDS")).toBe("1_000_000");
    expect(fixed["tasks and sessions in memory; more are refused"]).toBe("1,000,000");
    expect(constant("../src/nodes/memory-store.ts", "MAX_CHARACTERS")).toBe("2 ** 28");
    expect(fixed["characters in all of them"]).toBe((2 ** 28).toLocaleString("en-US"));
    expect(constant("../src/questions/replay.ts", "MAX_STEP_WAIT")).toBe("10 * 60 * 1000");
    expect(fixed["time that a question waits for steps in flight"]).toBe("10 minutes");
    expect(constant("../src/server/readiness.ts", "CHECK_TIMEOUT")).toBe("1000");
    expect(fixed["milliseconds of a readiness check"]).toBe("1,000");
  });
});

/** The limits that are not options. */
function fixedRows(): { readonly [name: string]: string } {
  return Object.fromEntries(
    rows.filter(([name = ""]) => !name.startsWith("`")).map(([name, value = ""]) => [name, value]),
  );
}

function constant(file: string, name: string): string | undefined {
  return new RegExp(`const ${name} = (.*);`).exec(read(file))?.[1];
}
