import { PassThrough, Writable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Wire } from "../../protocol/messages.ts";
import { StdioInput } from "./input.ts";
import { StdioOutput } from "./output.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

/** The whole output for some messages. */
async function written(framing: "lines" | "headers", wires: readonly Wire[]): Promise<Buffer> {
  const stdout = new PassThrough({ highWaterMark: 10_000_000 });
  const output = new StdioOutput(stdout);
  output.framing = framing;
  for (const wire of wires) output.send(wire);
  await output.written();
  return stdout.read() as Buffer;
}

describe("StdioOutput", () => {
  it("writes one line for each message", async () => {
    const message = JSON.stringify({ text: "a\nb\r\nc\u2028d\u0085e" });
    expect((await written("lines", [message, ['{"x":', bytes('"y\u2028"'), "}"]])).toString()).toBe(
      `${message}\n{"x":"y\u2028"}\n`,
    );
  });

  it("announces the length in bytes, not in characters", async () => {
    const wires: Wire[] = ['{"text":"é€😀"}', ['{"id":"é","result":', bytes('"€"'), ',"more":"😀"}'], "{}"];
    const input = new StdioInput(1000);
    input.push(await written("headers", wires));
    expect([input.next(), input.next(), input.next(), input.next()]).toEqual([
      wires[0],
      '{"id":"é","result":"€","more":"😀"}',
      "{}",
      undefined,
    ]);
  });

  it("writes the messages of one event-loop turn together", async () => {
    const chunks: string[] = [];
    const stdout = new Writable({
      write(chunk, _, done) {
        chunks.push(String(chunk));
        done();
      },
    });
    const output = new StdioOutput(stdout);
    output.send("1");
    output.send("2");
    await turn();
    output.send("3");
    await turn();
    expect(chunks).toEqual(["1\n2\n", "3\n"]);
  });

  it("keeps the order of large texts and bytes, whether they are written immediately or queued", async () => {
    const large = (letter: string) => letter.repeat(100_000);
    const wires: Wire[] = [
      ["<", large("a"), bytes(large("b")), large("é"), ">"],
      large("c"),
      ["<", "small", large("😀"), ">"],
      "last",
    ];
    const whole = `<${large("a")}${large("b")}${large("é")}>\n${large("c")}\n<small${large("😀")}>\nlast\n`;
    let text = "";
    const slow = new Writable({
      decodeStrings: false,
      write(chunk, _, done) {
        text += chunk.toString();
        setImmediate(done);
      },
    });
    const output = new StdioOutput(slow);
    for (const wire of wires) output.send(wire);
    await output.written();
    expect(text).toBe(whole);
    expect((await written("lines", wires)).toString()).toBe(whole);
  });

  it("is congested while the reader does not read, and calls back when it has", async () => {
    const stdout = new PassThrough();
    const output = new StdioOutput(stdout);
    expect(output.congested).toBe(false);
    // The reader's side of the pipe buffers some bytes first.
    while (!output.congested) output.send("x".repeat(1000));
    let read = false;
    output.whenRead(() => {
      read = true;
    });
    await turn();
    expect(read).toBe(false);
    stdout.resume();
    await expect.poll(() => read).toBe(true);
    expect(output.congested).toBe(false);
  });

  it("writes nothing after it is closed", async () => {
    const stdout = new PassThrough();
    const output = new StdioOutput(stdout);
    output.close();
    output.send("x");
    output.send(["a", bytes("b"), "c"]);
    await output.written();
    await turn();
    expect(stdout.read()).toBeNull();
  });
});
