// Proffer over HTTP with one feature: features.mjs <transport> <feature>.
import { context } from "@opentelemetry/api";
import { defineServer, defineTool } from "proffer";
import { serveHttp } from "proffer/http";

const [, feature] = process.argv.slice(2);

const FEATURES = {
  none: () => ({}),
  middleware: () => ({ middleware: (_call, next) => next() }),
  async observer() {
    const { telemetry } = await import("proffer/telemetry");
    return { observe: telemetry() };
  },
  /** Spans are sampled and recorded, and go nowhere. */
  async telemetry() {
    const { telemetry } = await import("proffer/telemetry");
    const { BasicTracerProvider } = await import("@opentelemetry/sdk-trace-base");
    const { MeterProvider } = await import("@opentelemetry/sdk-metrics");
    await useContexts();
    return { observe: telemetry({ tracerProvider: new BasicTracerProvider(), meterProvider: new MeterProvider() }) };
  },
};

const add = defineTool({
  name: "add",
  input: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
  handle: async ({ a, b }) => a + b,
});

const server = defineServer({ name: "proffer", version: "1.0.0", tools: [add], ...(await FEATURES[feature]()) });
await serveHttp(server, { port: Number(process.env.PORT), sessions: false });

/** Keeps the context over promises, as the SDK for Node does. */
async function useContexts() {
  const { AsyncLocalStorage } = await import("node:async_hooks");
  const { ROOT_CONTEXT } = await import("@opentelemetry/api");
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
