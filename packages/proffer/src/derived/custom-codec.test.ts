import { connect } from "proffer/testing";
import { describe, expect, it } from "vitest";
import { ToolError } from "../results/content.ts";
import { type CodecOptions, codecOptions, defineCodec } from "../schema/custom-codec.ts";
import type { LogEntry } from "../support/log.ts";
import { decode, encode } from "./codec.ts";
import { linkCodecs } from "./custom-codec.ts";
import { createDerivedServer } from "./derived-server.ts";
import type { Module } from "./load.ts";
import type { Binding, Codec, CustomPlan, Manifest, Plan } from "./manifest.ts";

class Id {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const OPTIONS: CodecOptions<Id, string> = { decode: (text) => new Id(text), encode: ({ text }) => text };
const PLAN: CustomPlan = { kind: "custom", codec: "id", name: "Id", types: ["string"] };

/** Links a plan with the codec of `Id`. */
function link(plan: Plan, options = OPTIONS, defs?: Record<string, Plan>): Codec {
  const codec: Codec = { plan, custom: true, ...(defs && { defs }) };
  const binding: Binding = { path: [], parameters: [], decode: codec, result: { kind: "value" } };
  return linkCodecs(binding, { id: defineCodec(options) }).decode as Codec;
}

/** Serves `pass(item)`, which returns its argument. */
function serve(options: CodecOptions<Id, string>, module: (codec: unknown) => Module = (id) => ({ id, pass })) {
  const plan: Plan = { kind: "object", properties: { item: PLAN } };
  const schema = { type: "object", properties: { item: { type: "string" } } } as const;
  const manifest: Manifest = {
    server: { name: "s", version: "1" },
    tools: [
      {
        name: "pass",
        inputSchema: schema,
        outputSchema: schema,
        binding: {
          path: ["pass"],
          parameters: [{ kind: "argument", name: "item" }],
          decode: { plan, custom: true },
          result: { kind: "value", encode: { plan, custom: true } },
        },
      },
    ],
    prompts: [],
    resources: [],
  };
  const logged: LogEntry[] = [];
  const log = (entry: LogEntry) => void logged.push(entry);
  return { server: createDerivedServer(manifest, async () => module(defineCodec(options)), { log }), logged };
}

const pass = (item: Id) => ({ item });

describe("a codec of the author", () => {
  const nested: Plan = { kind: "map", values: { kind: "array", items: PLAN } };
  const withPlan: Plan = { ...PLAN, json: { kind: "url" } };

  it.each<[string, Plan, unknown, unknown]>([
    ["a value", PLAN, "a", new Id("a")],
    ["a value at depth", nested, { k: ["a", "b"] }, new Map([["k", [new Id("a"), new Id("b")]]])],
    ["a key of a map", { kind: "entries", keys: PLAN }, [["a", 1]], new Map([[new Id("a"), 1]])],
    ["a property beside null", { kind: "object", properties: { id: PLAN } }, { id: null }, { id: null }],
  ])("decodes and encodes %s", (_, plan, json, value) => {
    expect(decode(link(plan), json)).toEqual(value);
    expect(encode(link(plan), value)).toEqual(json);
  });

  it("leaves JSON of another type unchanged, and undefined", () => {
    expect(decode(link(PLAN), 7)).toBe(7);
    expect(encode(link(PLAN), undefined)).toBeUndefined();
  });

  it("decodes its JSON form first, and encodes it last", () => {
    const options = { decode: (url: URL) => new Id(url.host), encode: ({ text }: Id) => new URL(`https://${text}/`) };
    const codec = link(withPlan, options as unknown as typeof OPTIONS);
    expect(decode(codec, "https://a.example/x")).toEqual(new Id("a.example"));
    expect(encode(codec, new Id("a.example"))).toBe("https://a.example/");
  });

  it("encodes recursive values by reference", () => {
    const options = {
      decode: (json: { next?: Id }) => new Id(json.next ? `>${json.next.text}` : ""),
      encode: ({ text }: Id) => (text === "" ? {} : { next: new Id(text.slice(1)) }),
    };
    const plan: Plan = { ...PLAN, types: ["object"], json: { kind: "ref", name: "Form" } };
    const codec = link(plan, options as unknown as typeof OPTIONS, {
      Form: { kind: "object", properties: { next: plan } },
    });
    expect(decode(codec, { next: { next: {} } })).toEqual(new Id(">>"));
    expect(encode(codec, new Id(">>"))).toEqual({ next: { next: {} } });
  });

  it("recognizes its values in a union: by `is`, or any object without a plan of its own", () => {
    const plan: Plan = { kind: "union", options: [{ plan: PLAN }, { plan: { kind: "date" } }] };
    const values = [new Id("a"), new Date(0), "text", 1, ["b"]];
    const encoded = ["a", "1970-01-01T00:00:00.000Z", "text", 1, ["b"]];
    expect(values.map((value) => encode(link(plan), value))).toEqual(encoded);
    const exact = link(plan, { ...OPTIONS, is: (value) => value instanceof Id });
    expect([...values, { text: "plain" }].map((value) => encode(exact, value))).toEqual([
      ...encoded,
      { text: "plain" },
    ]);
  });

  it("keeps literals of a union, and reads other strings", () => {
    const plan: Plan = { kind: "union", options: [{ plan: PLAN }], keep: ["auto"] };
    expect(["auto", "a", 1].map((json) => decode(link(plan), json))).toEqual(["auto", new Id("a"), 1]);
  });

  it("is found again if the module is evaluated again and shares its manifest", () => {
    const binding: Binding = {
      path: [],
      parameters: [],
      decode: { plan: PLAN, custom: true },
      result: { kind: "value" },
    };
    const first = { id: defineCodec(OPTIONS) };
    const second = { id: defineCodec({ ...OPTIONS, decode: (text: string) => new Id(`${text}!`) }) };
    const read = (module: Module) => decode(linkCodecs(binding, module).decode as Codec, "a");
    expect([first, second, first].map(read)).toEqual([new Id("a"), new Id("a!"), new Id("a")]);
    expect(linkCodecs(binding, first)).toBe(linkCodecs(binding, first));
  });

  it("rejects an argument if decode throws: only the message of a ToolError reaches the client", async () => {
    const { server, logged } = serve({
      ...OPTIONS,
      decode(text) {
        if (text === "own") throw new ToolError("must be an id such as A-1");
        throw new Error("secret path");
      },
    });
    const client = await connect(server);
    for (const [item, message] of [
      ["own", "/item: must be an id such as A-1"],
      ["other", "/item: must be a valid Id"],
    ]) {
      expect(await client.call("pass", { item })).toMatchObject({
        isError: true,
        content: [{ text: `Invalid arguments for tool "pass":\n${message}` }],
      });
    }
    expect(logged).toEqual([]);
    await client.close();
  });

  it("fails the call and logs the path if encode throws or a function is asynchronous", async () => {
    const fail = () => {
      throw new Error("broken");
    };
    const later = async () => Promise.reject(new Error("later"));
    const wrong: Partial<CodecOptions<Id, string>>[] = [
      { encode: fail },
      { encode: later as unknown as () => string },
      { decode: later as unknown as () => Id },
    ];
    const messages: unknown[] = [];
    for (const options of wrong) {
      const { server, logged } = serve({ ...OPTIONS, ...options });
      const client = await connect(server);
      expect(await client.call("pass", { item: "a" })).toMatchObject({
        isError: true,
        content: [{ text: 'Tool "pass" failed.' }],
      });
      messages.push(...logged.map(({ error }) => (error as Error).message));
      await client.close();
    }
    expect(messages).toEqual([
      "The result at /item could not be written as JSON, because encode of the codec of Id threw.",
      "encode of the codec of Id returned a promise, but codecs must be synchronous.",
      "decode of the codec of Id returned a promise, but codecs must be synchronous.",
    ]);
  });

  it("must be in the module, or the module does not match its manifest", async () => {
    const { server, logged } = serve(OPTIONS, () => ({ id: OPTIONS, pass }));
    const client = await connect(server);
    await expect(client.call("pass", { item: "a" })).rejects.toThrow("The module does not match its manifest.");
    expect(String(logged[0]?.error)).toContain("id is not a codec");
    await client.close();
  });

  it("needs decode and encode", () => {
    expect(() => defineCodec({ decode: OPTIONS.decode } as typeof OPTIONS)).toThrow(
      "defineCodec() needs the functions decode and encode.",
    );
    expect(() => defineCodec(undefined as unknown as typeof OPTIONS)).toThrow("decode and encode");
    expect([codecOptions(defineCodec(OPTIONS)), codecOptions({}), codecOptions(null)]).toEqual([
      OPTIONS,
      undefined,
      undefined,
    ]);
  });
});
