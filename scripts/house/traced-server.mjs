// The server whose requests traces.mjs counts: over stdio and HTTP in one process, from the sources. Each message from the
// parent process is answered with the files of the run-time in which a function ran since the message before.
import { Session } from "node:inspector/promises";
import { register } from "node:module";
import { setTimeout as delay } from "node:timers/promises";

const source = new URL("../../packages/proffer/src/", import.meta.url).href;

register("../typescript-hooks.mjs", import.meta.url);
const session = new Session();
session.connect();
await session.post("Profiler.enable");
// Before the first import: V8 counts only the functions of scripts that it compiles from now on.
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

const { defineResource, defineServer, defineTool, field, param } = await import("proffer");
const { serveHttp } = await import("proffer/http");
const { serveStdio } = await import("proffer/stdio");

const input = { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] };
const sum = ({ a, b }) => `${a + b}`;

const base = { version: "1.0.0", keys: [new Uint8Array(32).fill(7)], log: () => {} };
const add = defineTool({ name: "add", input, handle: sum });

const ask = defineTool({
  name: "ask",
  handle: async (_, ctx) => (await ctx.ask("Yes?", { yes: field.boolean() })).action,
});
const withTools = { ...base, name: "tools", tools: [add, ask] };
const withFeatures = {
  ...base,
  name: "features",
  tools: [add, defineTool({ name: "work", input, task: true, handle: async (numbers) => sum(numbers) })],
  resources: [
    defineResource({
      name: "note",
      uri: "notes://{id}",
      params: { id: param.integer() },
      read: ({ id }) => `note ${id}`,
    }),
  ],
};
/** The feature of tasks looks at each call, so the path of a call is traced on a server without it. */
const server = defineServer(process.argv[2] === "features" ? withFeatures : withTools);

process.on("message", async () => {
  // The client has its response, but the request may not be over on this side.
  await delay(20);
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const ran = ({ functions }) => functions.some(({ ranges }) => ranges[0].count > 0);
  const files = result.filter((script) => script.url.startsWith(source) && ran(script));
  process.send(files.map(({ url }) => url.slice(source.length)).sort());
});

const { url } = await serveHttp(server, { port: 0 });
process.send(url);
await serveStdio(server);
