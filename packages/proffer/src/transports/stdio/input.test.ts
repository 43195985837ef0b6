import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { RpcError } from "../../protocol/errors.ts";
import { type Framing, StdioInput } from "./input.ts";

const LIMIT = 1024 * 1024;

/** The messages in some chunks; an error as its kind and message. */
function read(chunks: readonly (Buffer | string)[], maxBytes = LIMIT): string[] {
  const input = new StdioInput(maxBytes);
  const items: string[] = [];
  const take = () => {
    for (let item = input.next(); item !== undefined; item = input.next()) {
      items.push(item instanceof RpcError ? `! ${item.kind}: ${item.message}` : item);
    }
  };
  for (const chunk of chunks) {
    input.push(Buffer.from(chunk));
    take();
  }
  input.end();
  take();
  return items;
}

function framed(text: string, header = `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n`): string {
  return `${header}${text}`;
}

function encode(messages: readonly string[], framing: Framing): Buffer {
  return Buffer.from(messages.map((text) => (framing === "lines" ? `${text}\n` : framed(text))).join(""));
}

/** Cuts bytes at the given positions. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end));
}

const inPieces = (bytes: Buffer, size: number) =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );

describe.each<Framing>(["lines", "headers"])("messages framed by %s", (framing) => {
  const texts = fc.array(
    fc.jsonValue().map((value) => JSON.stringify({ value })),
    { maxLength: 20 },
  );

  it("are the same however their bytes are chunked", () => {
    fc.assert(
      fc.property(texts, fc.array(fc.nat(), { maxLength: 30 }), (messages, places) => {
        expect(read(cut(encode(messages, framing), places))).toEqual(messages);
      }),
      { numRuns: 1_000 },
    );
  });

  it("are the same byte by byte, with sequences of two, three and four bytes in them", () => {
    const messages = ['{"a":"é"}', '{"a":"€\u2028"}', '{"a":"😀"}'];
    expect(read(inPieces(encode(messages, framing), 1))).toEqual(messages);
  });

  it("come out one by one where 50 arrive in one chunk", () => {
    const messages = Array.from({ length: 50 }, (_, index) => `{"id":${index}}`);
    expect(read([encode(messages, framing)])).toEqual(messages);
  });

  it("that are not UTF-8 are rejected, and the next one is read", () => {
    const wrong = Buffer.from([0x7b, 0xff, 0xfe, 0xc0, 0x7d]);
    const before = encode(['{"a":1}'], framing);
    const header = framing === "lines" ? "" : "Content-Length: 5\r\n\r\n";
    const after = framing === "lines" ? "\n" : "";
    const bytes = Buffer.concat([before, Buffer.from(header), wrong, Buffer.from(after), before]);
    const refused = "! parse_error: The message is not valid UTF-8.";
    for (const size of [1, 3, 1000]) expect(read(inPieces(bytes, size))).toEqual(['{"a":1}', refused, '{"a":1}']);
  });

  it("are rejected one byte above the limit, counted in bytes, and the next one is read", () => {
    const fits = `"${"é".repeat(49)}"`;
    const tooLarge = `"${"é".repeat(49)}."`;
    const bytes = encode([fits, tooLarge, fits], framing);
    const refused = "! invalid_request: The message is larger than 100 bytes.";
    for (const size of [1, 7, 64, 1000]) expect(read(inPieces(bytes, size), 100)).toEqual([fits, refused, fits]);
  });
});

describe("lines", () => {
  it("may end with a carriage return, and blank ones are ignored", () => {
    expect(read(['\r\n\n  \n{"a":1}\r\n\r\n\n{"b":2}\r\n'])).toEqual(['{"a":1}\r', '{"b":2}\r']);
  });

  it("without a newline at the end of the input count as a message", () => {
    expect(read(['{"a":1}\n{"b"', ":2}"])).toEqual(['{"a":1}', '{"b":2}']);
    expect(read(["conte"])).toEqual(["conte"]);
  });

  it("that never end are rejected once, and not buffered", () => {
    const input = new StdioInput(1000);
    const refusals: unknown[] = [];
    for (let index = 0; index < 1000; index++) {
      input.push(Buffer.alloc(64 * 1024, "x"));
      for (let item = input.next(); item !== undefined; item = input.next()) refusals.push(item);
    }
    expect(refusals).toEqual([expect.objectContaining({ kind: "invalid_request" })]);
    input.push(Buffer.from('\n{"a":1}\n'));
    expect(input.next()).toBe('{"a":1}');
  });

  it("keep a byte order mark, which the parser rejects", () => {
    expect(read([Buffer.from('\ufeff{"a":1}\n')])).toEqual(['\ufeff{"a":1}']);
  });

  it("that start like a header but are not one do not block the next line", () => {
    expect(read(["continue\n", '{"a":1}\n'])).toEqual(["continue", '{"a":1}']);
    expect(read(["c", "\n", '{"a":1}\n'])).toEqual(["c", '{"a":1}']);
  });

  it("are split only at newlines, not at other separators", () => {
    const line = '{"a":"\u2028\u2029\u0085\u000b\u000c"}';
    expect(read([`${line}\n${line}\n`])).toEqual([line, line]);
  });
});

describe("headers", () => {
  const body = '{"a":"é"}';

  it.each([
    ["bare newlines", `Content-Length: 10\n\n`],
    ["any case", `CONTENT-length: 10\r\n\r\n`],
    ["no blank", `Content-Length:10\r\n\r\n`],
    ["other headers before it", `Content-Type: application/json; charset=utf-8\r\nContent-Length: 10\r\n\r\n`],
    ["other headers after it", `Content-Length: 10\r\nX-Any: a: b\r\n\r\n`],
  ])("may have %s", (_, header) => {
    const bytes = Buffer.from(framed(body, header).repeat(2));
    for (const size of [1, 5, 1000]) expect(read(inPieces(bytes, size))).toEqual([body, body]);
  });

  it("may come after blank lines, also between messages", () => {
    for (const size of [1, 1000]) {
      expect(read(inPieces(Buffer.from(`\r\n\n${framed(body)}\r\n${framed(body)}\n${framed(body)}`), size))).toEqual([
        body,
        body,
        body,
      ]);
    }
  });

  it("count bytes, and a body may have newlines in it", () => {
    const pretty = JSON.stringify({ text: "é€😀", list: [1, 2] }, null, 2);
    expect(read([framed(pretty) + framed(body)])).toEqual([pretty, body]);
  });

  it("may announce an empty body, which is not a message", () => {
    expect(read([`Content-Length: 0\r\n\r\n${framed(body)}`])).toEqual([body]);
  });

  it("with an incomplete body at the end of the input yield no message", () => {
    expect(read([framed(body).slice(0, -2)])).toEqual([]);
  });

  it.each([
    ["no length", "Content-Type: text/plain\r\n\r\n"],
    ["a length that is no number", "Content-Length: ten\r\n\r\n"],
    ["a negative length", "Content-Length: -1\r\n\r\n"],
    ["a length in hexadecimal", "Content-Length: 0x10\r\n\r\n"],
    ["a length beyond all numbers", `Content-Length: ${"9".repeat(400)}\r\n\r\n`],
    ["two lengths", "Content-Length: 10\r\nContent-Length: 11\r\n\r\n"],
    ["a line that is no header", 'Content-Length: 10\r\n{"jsonrpc":"2.0"}\r\n'],
    ["no end", `Content-Length: 10\r\n${"X-Any: 1\r\n".repeat(1000)}`],
    ["a line without end", `Content-Type: ${"x".repeat(10_000)}`],
  ])("with %s break the input: nothing after them is read", (_, header) => {
    for (const size of [1, 100, 100_000]) {
      const input = new StdioInput(LIMIT);
      for (const chunk of inPieces(Buffer.from(`${header}${framed(body)}`), size)) input.push(chunk);
      expect(input.next()).toMatchObject({ kind: "parse_error" });
      expect(input.next()).toBeUndefined();
      expect(input.broken).toBe(true);
    }
  });

  it("that announce a too large body are skipped, however large it is", () => {
    const large = "x".repeat(200_000);
    expect(read(inPieces(Buffer.from(framed(large) + framed(body)), 4096), 1000)).toEqual([
      "! invalid_request: The message is larger than 1000 bytes.",
      body,
    ]);
  });

  it("are detected even if the first bytes arrive one by one", () => {
    const input = new StdioInput(LIMIT);
    for (const byte of Buffer.from("\r\ncontent-")) input.push(Buffer.of(byte));
    expect(input.framing).toBe("headers");
  });
});

describe("the work", () => {
  afterEach(() => vi.restoreAllMocks());

  /** The number of bytes copied from chunks to one message. */
  function copied(bytes: Buffer, chunkSize: number): number {
    let sum = 0;
    const { copy } = Buffer.prototype;
    vi.spyOn(Buffer.prototype, "copy").mockImplementation(function (this: Buffer, ...args) {
      const count = copy.apply(this, args);
      sum += count;
      return count;
    });
    const concat = vi.spyOn(Buffer, "concat");
    expect(read(inPieces(bytes, chunkSize), 2 * bytes.length)).toHaveLength(1);
    for (const { value } of concat.mock.results) sum += (value as Buffer).length;
    vi.restoreAllMocks();
    return sum;
  }

  it.each<Framing>(["lines", "headers"])("is linear in the size of a message framed by %s", (framing) => {
    const message = (size: number) => encode([JSON.stringify("x".repeat(size))], framing);
    const megabyte = 1024 * 1024;
    for (const chunkSize of [1000, 64 * 1024]) {
      const once = copied(message(megabyte), chunkSize);
      const tenTimes = copied(message(10 * megabyte), chunkSize);
      expect(once).toBeGreaterThan(0);
      expect(once).toBeLessThan(4 * megabyte);
      expect(tenTimes).toBeLessThan(40 * megabyte);
    }
  });
});
