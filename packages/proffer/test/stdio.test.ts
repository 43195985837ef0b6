import { connectOver } from "proffer/testing";
import { describe, expect, it } from "vitest";
import { type Answer, type Program, useStdioServers } from "./stdio-process.ts";

const { startServer } = useStdioServers();

const echo = (id: number | string, text: string) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "echo", arguments: { text } },
});

const textOf = ({ result }: Answer) => result?.content[0]?.text;

const ping = '{"jsonrpc":"2.0","id":"next","method":"ping"}';

/** Sends bytes with one write per chunk; the system may still join them. */
async function writeAll(program: Program, chunks: Iterable<Buffer | string>): Promise<void> {
  for (const chunk of chunks) await new Promise((resolve) => program.child.stdin.write(chunk, resolve));
}

describe("newline-delimited messages", () => {
  it("of the server are one line each, even if a result contains line breaks", async () => {
    const program = await startServer();
    const text = "a\nb\r\nc\rd\u2028e\u2029f\u0085g\u000bh";
    program.send(echo(1, text));
    expect(textOf(await program.answer(1))).toBe(text);
    expect(program.lines).toHaveLength(1);
  });

  it("of the client may arrive byte by byte, even within a character", async () => {
    const program = await startServer();
    const text = "é€😀";
    await writeAll(
      program,
      [...Buffer.from(`${JSON.stringify(echo(1, text))}\n`)].map((byte) => Buffer.of(byte)),
    );
    expect(textOf(await program.answer(1))).toBe(text);
  });

  it("may arrive 50 at once, with carriage returns and blank lines, and without a final newline", async () => {
    const program = await startServer();
    const lines = Array.from({ length: 50 }, (_, id) => JSON.stringify(echo(id, `text ${id}`)));
    program.child.stdin.end(
      lines
        .map((line, index) => (index % 2 ? `${line}\r\n\r\n` : `${line}\n\n`))
        .join("")
        .trimEnd(),
    );
    expect(await program.exit).toEqual({ code: 0, signal: null });
    const answers = program.lines.map((line) => JSON.parse(line) as Answer);
    expect(answers.map((answer) => [answer.id, textOf(answer)])).toEqual(lines.map((_, id) => [id, `text ${id}`]));
  });

  it("with log entries are dropped when they flood; the response and the next request are not", async () => {
    const program = await startServer();
    await program.request(0, "initialize", { protocolVersion: "2025-11-25", capabilities: {} });
    program.send({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "chatter", arguments: { size: 20_000 } },
    });
    expect(textOf(await program.answer(1))).toBe("said");
    const heard = program.lines.filter((line) => line.includes("notifications/message")).length;
    expect(heard).toBeGreaterThan(1_000);
    expect(heard).toBeLessThan(6_000);
    program.send(echo(2, "next"));
    expect(textOf(await program.answer(2))).toBe("next");
  });

  it.each([
    ["with a newline", "\n"],
    ["that never ends", ""],
  ])("are rejected without an id one byte above the limit (%s), and the next request is served", async (_, newline) => {
    const program = await startServer({ maxMessageBytes: 1000 });
    const message = (bytes: number) => {
      const empty = Buffer.byteLength(JSON.stringify(echo(1, "")));
      // Each é is two bytes in UTF-8 and one unit in UTF-16.
      return JSON.stringify(echo(1, "é".repeat((bytes - empty) / 2) + "x".repeat((bytes - empty) % 2)));
    };
    program.send(message(1000));
    expect(await program.answer(1)).toHaveProperty("result");
    await writeAll(program, [message(1001), newline]);
    expect((await program.answer(null)).error).toEqual({
      code: -32600,
      message: "The message is larger than 1000 bytes.",
    });
    program.send(newline === "" ? `\n${ping}` : ping);
    expect(await program.answer("next")).toHaveProperty("result");
  });

  it.each([
    ["bytes that are not UTF-8", Buffer.from([0x22, 0xff, 0xfe, 0xc0, 0x22])],
    ["UTF-16", Buffer.from(ping, "utf16le")],
    ["a byte order mark", Buffer.from(`\ufeff${ping}`)],
    ["a lone surrogate in UTF-8", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
  ])("are rejected with a parse error for %s, and the next request is served", async (_, bytes) => {
    const program = await startServer();
    await writeAll(program, [bytes, "\n"]);
    expect((await program.answer(null)).error?.code).toBe(-32700);
    program.send(ping);
    expect(await program.answer("next")).toHaveProperty("result");
  });

  it("may have 10 MiB in chunks of 64 KiB", async () => {
    const program = await startServer();
    const text = "0123456789abcdef".repeat(64 * 1024 * 10);
    const bytes = Buffer.from(`${JSON.stringify(echo(1, text))}\n`);
    const chunks = function* () {
      for (let at = 0; at < bytes.length; at += 64 * 1024) yield bytes.subarray(at, at + 64 * 1024);
    };
    await writeAll(program, chunks());
    expect(textOf(await program.answer(1)) === text).toBe(true);
  });

  it("are ignored if they are responses without a request", async () => {
    const program = await startServer();
    program.send({ jsonrpc: "2.0", id: 1, result: {} });
    program.send({ jsonrpc: "2.0", id: "proffer-1", error: { code: 1, message: "no" } });
    program.send(ping);
    expect(await program.answer("next")).toHaveProperty("result");
    expect(program.lines).toHaveLength(1);
  });

  it("are never requests to a client of 2026-07-28, even if a tool asks a question", async () => {
    const program = await startServer();
    const client = await connectOver(program.link, { answers: [{ text: "x" }] });
    expect(await client.call("ask")).toMatchObject({ content: [{ text: "accept" }] });
    const messages = client.transcript.messages("server").map((line) => JSON.parse(line) as object);
    expect(messages.filter((message) => "method" in message)).toEqual([]);
  });

  it("of both eras may alternate on one connection", async () => {
    const program = await startServer();
    const newest = await connectOver(program.link, { revision: "2026-07-28" });
    expect(await newest.call("echo", { text: "a" })).toMatchObject({ resultType: "complete" });
    expect(
      await program.request("old", "initialize", { protocolVersion: "2024-11-05", capabilities: {} }),
    ).toMatchObject({ result: { protocolVersion: "2024-11-05" } });
    expect(await newest.call("echo", { text: "b" })).toMatchObject({ resultType: "complete" });
  });
});

describe("Content-Length framing", () => {
  const framed = (message: object | string) => {
    const body = typeof message === "string" ? message : JSON.stringify(message);
    return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  };

  /** Parses the framing strictly: a header, a blank line, and the announced number of bytes. */
  function readFramed(program: Program): { readonly answers: Answer[]; readonly rest: () => string } {
    program.child.stdout.removeAllListeners("data");
    // The stream decodes to strings; latin1 preserves the bytes.
    program.child.stdout.setEncoding("latin1");
    const answers: Answer[] = [];
    let bytes = "";
    program.child.stdout.on("data", (text: string) => {
      bytes += text;
      for (;;) {
        const header = /^Content-Length: (\d+)\r\n\r\n/.exec(bytes);
        const end = header && header[0].length + Number(header[1]);
        if (!header || end === null || bytes.length < end) return;
        answers.push(JSON.parse(Buffer.from(bytes.slice(header[0].length, end), "latin1").toString("utf8")));
        bytes = bytes.slice(end);
      }
    });
    return { answers, rest: () => bytes };
  }

  it("is detected from the first bytes and used for responses, with lengths in bytes", async () => {
    const program = await startServer();
    const { answers, rest } = readFramed(program);
    program.child.stdin.write(framed(echo("é", "é€😀\n")) + framed(echo(2, "second")));
    await expect.poll(() => answers.length).toBe(2);
    expect(answers.map((answer) => [answer.id, textOf(answer)])).toEqual([
      ["é", "é€😀\n"],
      [2, "second"],
    ]);
    expect(rest()).toBe("");
  });

  it("may arrive byte by byte, after blank lines, with other headers and a body of several lines", async () => {
    const program = await startServer();
    const { answers } = readFramed(program);
    const body = JSON.stringify(echo(1, "é"), null, 2);
    const message = `\r\ncontent-type: application/json\ncontent-length:${Buffer.byteLength(body)}\n\n${body}`;
    await writeAll(
      program,
      [...Buffer.from(message)].map((byte) => Buffer.of(byte)),
    );
    await expect.poll(() => answers.map(textOf)).toEqual(["é"]);
  });

  it("skips a body above the limit, and serves the next request", async () => {
    const program = await startServer({ maxMessageBytes: 1000 });
    const { answers } = readFramed(program);
    program.child.stdin.write(framed(echo(1, "x".repeat(100_000))) + framed(ping));
    await expect.poll(() => answers.map(({ id, error }) => error?.code ?? id)).toEqual([-32600, "next"]);
  });

  it("rejects a body that is not UTF-8 or not JSON, and serves the next request", async () => {
    const program = await startServer();
    const { answers } = readFramed(program);
    const wrong = Buffer.concat([Buffer.from("Content-Length: 3\r\n\r\n"), Buffer.from([0x22, 0xff, 0x22])]);
    await writeAll(program, [Buffer.from(framed("{")), wrong, framed(ping)]);
    await expect.poll(() => answers.map(({ id, error }) => error?.code ?? id)).toEqual([-32700, -32700, "next"]);
  });

  it("ends the process after an invalid header, because the next message cannot be found", async () => {
    const program = await startServer();
    const { answers } = readFramed(program);
    program.child.stdin.write(`${framed(ping)}Content-Length: many\r\n\r\n${framed(ping)}`);
    expect(await program.exit).toEqual({ code: 1, signal: null });
    expect(answers.map(({ id, error }) => error?.code ?? id)).toEqual(["next", -32700]);
  });
});
