// Proffer over HTTP with a path per feature: features.mjs <transport> plain|sdk|behind|mounts. JWKS, ISSUER and BEHIND are
// variables.
import { context, ROOT_CONTEXT } from "@opentelemetry/api";
import { defineServer, defineTool } from "proffer";
import { connect, remote } from "proffer/client";
import { serveHttp } from "proffer/http";
import { oauth } from "proffer/oauth";
import { telemetry } from "proffer/telemetry";

const [, processName] = process.argv.slice(2);

const number = { type: "number" };
const input = { type: "object", properties: { a: number, b: number }, required: ["a", "b"] };
const add = { name: "add", input, handle: async ({ a, b }) => a + b };
const serverOf = (tools, options = {}) =>
  defineServer({ name: "features", version: "1.0.0", tools: tools.map(defineTool), ...options });
const plain = () => serverOf([add]);
const hundred = Array.from({ length: 100 }, (_, index) => ({
  ...add,
  name: `add${index}`,
  scopes: index % 2 ? ["a"] : ["b"],
}));
const protect = (path, options) => {
  const issuer = [{ issuer: process.env.ISSUER, jwks: JSON.parse(process.env.JWKS), audience: "bench" }];
  return oauth({ issuer, resource: `http://127.0.0.1${path}`, ...options });
};

const PROCESSES = {
  plain: () => ({
    "/none": plain(),
    "/hook": { server: plain(), authenticate: () => ({ id: "ada" }) },
    "/token": { server: plain(), authenticate: protect("/token") },
    "/verified": { server: plain(), authenticate: protect("/verified", { cache: false }) },
    "/scopes": { server: serverOf([{ ...add, scopes: ["a"] }]), authenticate: protect("/scopes") },
    "/listed": { server: serverOf(hundred), authenticate: protect("/listed") },
    "/granted": { server: serverOf(hundred, { lists: "granted" }), authenticate: protect("/granted") },
    "/middleware": serverOf([add], { middleware: (_call, next) => next() }),
    "/maxResult": serverOf([add], { maxResult: { tokens: 10_000 } }),
    "/observer": serverOf([add], { observe: telemetry() }),
  }),
  /** The server that `mounts` calls, in a process of its own. */
  behind: () => ({ "/mcp": plain() }),
  /** `byHand` is a call of the server and one of a client, which is the least that a mount can do. */
  async mounts() {
    const { BEHIND } = process.env;
    const client = await connect(BEHIND);
    const call = async (input) => ({ content: (await client.call("add", input)).content });
    const byHand = { ...add, name: "m_add", handle: call };
    return {
      "/none": serverOf([{ ...add, name: "m_add" }]),
      "/local": serverOf([], { servers: { m: plain() } }),
      "/byHand": serverOf([byHand]),
      "/remote": serverOf([], { servers: { m: remote(BEHIND) } }),
    };
  },
  /** Spans are sampled and recorded, and go nowhere. */
  async sdk() {
    const { BasicTracerProvider } = await import("@opentelemetry/sdk-trace-base");
    const { MeterProvider } = await import("@opentelemetry/sdk-metrics");
    await useContexts();
    const providers = { tracerProvider: new BasicTracerProvider(), meterProvider: new MeterProvider() };
    return { "/none": plain(), "/telemetry": serverOf([add], { observe: telemetry(providers) }) };
  },
};

await serveHttp(await PROCESSES[processName](), { port: Number(process.env.PORT), sessions: false });

/** Keeps the context over promises, as the SDK for Node does. */
async function useContexts() {
  const { AsyncLocalStorage } = await import("node:async_hooks");
  const storage = new AsyncLocalStorage();
  context.setGlobalContextManager({
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, work, self, ...values) => storage.run(active, () => work.apply(self, values)),
    bind: (_context, target) => target,
    enable() {
      return this;
    },
    disable() {
      return this;
    },
  });
}
