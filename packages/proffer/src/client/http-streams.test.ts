import { expect, it, vi } from "vitest";
import { readEvents, type ServerEvent } from "./http-streams.ts";

async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function parse(text: string, size = 1000): Promise<ServerEvent[]> {
  const events: ServerEvent[] = [];
  for await (const event of readEvents(chunksOf(new TextEncoder().encode(text), size))) events.push(event);
  return events;
}

const plain = { type: "message", id: undefined, retry: undefined };

it("reads the fields of events", async () => {
  const text = ": comment\nevent: note\nid: 1\nretry: 500\ndata: a\ndata:  b\nother: x\n\ndata\n\nid\ndata:c\n\n";
  expect(await parse(text)).toEqual([
    { type: "note", data: "a\n b", id: "1", retry: 500 },
    { type: "message", data: "", id: "1", retry: undefined },
    { type: "message", data: "c", id: "", retry: undefined },
  ]);
});

it.each(["\n", "\r", "\r\n"])("accepts %j as the end of a line, wherever the chunks are cut", async (end) => {
  const text = ["\ufeffdata: ü", "data: 2", "", "data: 3", "", ""].join(end);
  for (let size = 1; size < 12; size++) {
    expect(await parse(text, size)).toEqual([
      { ...plain, data: "ü\n2" },
      { ...plain, data: "3" },
    ]);
  }
});

it("drops events without data and an event that is cut off", async () => {
  expect(await parse("id: 7\nevent: x\n\nretry: soon\nid: a\0b\ndata: 1\n\ndata: 2\n")).toEqual([
    { ...plain, id: "7", data: "1" },
  ]);
});

it("dispatches an event as soon as its last line has arrived", async () => {
  const encoder = new TextEncoder();
  async function* body() {
    yield encoder.encode("data: 1\r\r");
    await new Promise(() => {});
  }
  const { value } = await readEvents(body()).next();
  expect(value).toEqual({ ...plain, data: "1" });
});

it("reads a long line in linear time", async () => {
  const bytes = new Uint8Array(16_000_000).fill(120);
  bytes.set(new TextEncoder().encode("data: "));
  async function* body() {
    yield* chunksOf(bytes, 65_536);
    yield new TextEncoder().encode("\n\n");
  }
  // Counts the characters that are searched instead of the time, which depends on the machine.
  let searched = 0;
  const { split } = String.prototype;
  const spy = vi.spyOn(String.prototype, "split").mockImplementation(function (this: string, ...args) {
    searched += this.length;
    return Reflect.apply(split, this, args);
  });
  const { value } = await readEvents(body()).next();
  spy.mockRestore();
  expect(value.data.length).toBe(bytes.length - 6);
  expect(searched).toBeLessThan(2 * bytes.length);
});

it("counts the bytes of lines without data towards the limit of an event", async () => {
  const lines = new TextEncoder().encode("data\n".repeat(1000));
  const read = async () => {
    for await (const _ of readEvents(chunksOf(lines, 100), 4000));
  };
  await expect(read()).rejects.toThrow("The server sent a message of more than 4000 bytes.");
});
