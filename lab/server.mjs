// The servers that real clients are tried with: samples of tools, results and questions. The first argument names one, the second the transport.
import { deflateSync } from "node:zlib";
import { defineResource, defineServer, defineTool, embed, fail, image, link, text } from "proffer";
import { serveHttp } from "proffer/http";
import { serveStdio } from "proffer/stdio";

/** A red square of 32 × 32 as PNG: some clients decode images before they pass them on. */
const SQUARE = createPng(32);

const none = { type: "object", properties: {} };
const kinds = (kind, name) => ({
  type: "object",
  properties: { kind: { const: kind }, [name]: { type: "string" } },
  required: ["kind", name],
});

const LONG = [60, 90, 128];

const samples = [
  defineTool({ name: "words", description: "Says hello.", input: none, handle: () => "Hello, Ada!" }),
  defineTool({ name: "number", description: "Gives a number.", input: none, handle: () => 42 }),
  defineTool({ name: "list", description: "Gives a list.", input: none, handle: () => [1, 2, 3] }),
  defineTool({
    name: "structured",
    description: "Gives an order.",
    input: none,
    output: {
      type: "object",
      properties: { id: { type: "string" }, total: { type: "number" } },
      required: ["id", "total"],
    },
    handle: () => ({ id: "order-7", total: 12.5 }),
  }),
  defineTool({
    name: "mixed",
    description: "Gives words beside structured content.",
    input: none,
    handle: () => ({ content: [text("Two boxes were shipped.")], structuredContent: { shipped: 2 } }),
  }),
  defineTool({
    name: "picture",
    description: "Gives an image.",
    input: none,
    handle: () => image(SQUARE, "image/png"),
  }),
  defineTool({
    name: "pictured",
    description: "Gives an image beside structured content.",
    input: none,
    handle: () => ({ content: [image(SQUARE, "image/png")], structuredContent: { shown: true } }),
  }),
  defineTool({
    name: "linked",
    description: "Gives a link.",
    input: none,
    handle: () => link({ uri: "lab://about", name: "about" }),
  }),
  defineTool({
    name: "embedded",
    description: "Gives a resource.",
    input: none,
    handle: () => embed({ uri: "lab://about", text: "About this laboratory." }),
  }),
  defineTool({ name: "broken", description: "Fails.", input: none, handle: () => fail("The store is closed today.") }),
  defineTool({
    name: "large",
    description: "Gives 300,000 characters.",
    input: none,
    handle: () => Array.from({ length: 30_000 }, (_, at) => String(at).padStart(9, "0")).join("\n"),
  }),
  defineTool({
    name: "union",
    description: "Pays.",
    input: {
      type: "object",
      properties: { method: { oneOf: [kinds("card", "number"), kinds("transfer", "iban")] } },
      required: ["method"],
    },
    handle: ({ method }) => `Paid by ${method.kind}.`,
  }),
  defineTool({
    name: "constraints",
    description: "Reserves seats.",
    input: {
      type: "object",
      properties: {
        count: { type: "integer", minimum: 1, maximum: 8, default: 2 },
        code: { type: "string", pattern: "^[A-Z]{3}$", minLength: 3, maxLength: 3 },
        day: { type: "string", format: "date" },
        rows: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 3, uniqueItems: true },
        note: { type: ["string", "null"] },
      },
      required: ["count"],
    },
    handle: ({ count }) => `Reserved ${count} seats.`,
  }),
  defineTool({
    name: "tree",
    description: "Counts a tree.",
    input: {
      type: "object",
      properties: { root: { $ref: "#/$defs/node" } },
      required: ["root"],
      $defs: {
        node: {
          type: "object",
          properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/node" } } },
          required: ["name"],
        },
      },
    },
    handle: ({ root }) => `The root is ${root.name}.`,
  }),
  ...LONG.map((length) =>
    defineTool({
      name: `long_${length}_${"name_".repeat(40)}`.slice(0, length - String(length).length) + length,
      description: `Has a name of ${length} characters.`,
      input: none,
      handle: () => `Called by ${length} characters.`,
    }),
  ),
  defineTool({
    name: "ask",
    description: "Asks before it cancels.",
    input: none,
    handle: async (_, ctx) =>
      JSON.stringify(await ctx.ask("Cancel the order?", ASKED, { fallback: { action: "cancel" } })),
  }),
];

const ASKED = { type: "object", properties: { sure: { type: "boolean" } }, required: ["sure"] };

const many = Array.from({ length: 200 }, (_, at) =>
  defineTool({
    name: `tool_${at}`,
    description: `The tool with the number ${at}.`,
    input: none,
    handle: () => `Tool ${at} ran.`,
  }),
);

/** In milliseconds: longer than the limit of a plain call in some clients. */
const WORK = 90_000;

const work = defineTool({
  name: "work",
  description: "Packs a room in 90 seconds.",
  input: none,
  task: { polling: "always" },
  handle: async (_, ctx) => {
    const end = Date.now() + WORK;
    while (Date.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      ctx.signal.throwIfAborted();
    }
    return "The room is packed.";
  },
});

const about = defineResource({ uri: "lab://about", name: "about", read: () => "About this laboratory." });

const SERVERS = {
  samples: { tools: samples, resources: [about], instructions: "Say hello before you pay." },
  many: { tools: many },
  pages: { tools: many.slice(0, 12), pageSize: 5 },
  work: { tools: [work] },
};

const [name = "samples", transport = "stdio"] = process.argv.slice(2);
const server = defineServer({ name: "lab", version: "1.0.0", ...SERVERS[name] });

if (transport === "stdio") await serveStdio(server);
else console.log((await serveHttp(server, { port: 0 })).url);

function createPng(size) {
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(3 * size, Buffer.from([255, 0, 0]))]);
  const head = Buffer.alloc(13);
  head.writeUInt32BE(size, 0);
  head.writeUInt32BE(size, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const rows = deflateSync(Buffer.concat(Array.from({ length: size }, () => row)));
  const parts = [chunk("IHDR", head), chunk("IDAT", rows), chunk("IEND", Buffer.alloc(0))];
  return Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), ...parts]).toString("base64");
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc(body));
  return Buffer.concat([length, body, check]);
}

/** The checksum of PNG, section 5.5. */
function crc(bytes) {
  let sum = ~0;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}
