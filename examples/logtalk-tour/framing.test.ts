import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startServe } from "../links.ts";

const MODULE = fileURLToPath(new URL("./server.ts", import.meta.url));

type Message = { readonly id?: unknown; readonly [key: string]: unknown };

const FRAMINGS: {
  readonly [name: string]: { write(text: string): string; read(bytes: Buffer): { texts: string[]; rest: Buffer } };
} = {
  lines: {
    write: (text) => `${text}\n`,
    read(bytes) {
      const end = bytes.lastIndexOf("\n") + 1;
      const texts = bytes.subarray(0, end).toString().split("\n").slice(0, -1);
      return { texts, rest: bytes.subarray(end) };
    },
  },
  "Content-Length": {
    write: (text) => `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    read(bytes) {
      const texts: string[] = [];
      let rest = bytes;
      for (;;) {
        const header = /^Content-Length: (\d+)\r\n\r\n/.exec(rest.toString("latin1"));
        const end = header === null ? Number.POSITIVE_INFINITY : header[0].length + Number(header[1]);
        if (header === null || rest.length < end) return { texts, rest };
        texts.push(rest.subarray(header[0].length, end).toString());
        rest = rest.subarray(end);
      }
    },
  },
};

/** The first message: a handshake, or a request that needs none. */
const OPENINGS: { readonly [revision: string]: Message } = {
  "2024-11-05": {
    id: 0,
    method: "initialize",
    params: { protocolVersion: "2024-11-05", capabilities: {}, clientInfo: { name: "é", version: "1" } },
  },
  "2026-07-28": { id: 0, method: "server/discover", params: {} },
};

describe.each(Object.entries(FRAMINGS))("messages framed by %s", (_, framing) => {
  describe.each(Object.entries(OPENINGS))("on %s", (revision, opening) => {
    let child: ReturnType<typeof startServe>;
    let bytes: Buffer;
    const answers: Message[] = [];

    beforeEach(() => {
      bytes = Buffer.alloc(0);
      answers.length = 0;
      child = startServe(MODULE);
      child.stderr?.resume();
      child.stdout?.on("data", (chunk: Buffer) => {
        const { texts, rest } = framing.read(Buffer.concat([bytes, chunk]));
        answers.push(...texts.map((text) => JSON.parse(text)));
        bytes = rest;
      });
    });

    afterEach(async () => {
      const exit = once(child, "exit");
      child.stdin?.end();
      expect(await exit).toEqual([0, null]);
    });

    const send = (text: string) => void child.stdin?.write(framing.write(text));
    const request = ({ params = {}, ...message }: Message) => {
      const _meta = {
        "io.modelcontextprotocol/protocolVersion": revision,
        "io.modelcontextprotocol/clientCapabilities": {},
      };
      const described = revision === "2026-07-28" ? { ...(params as object), _meta } : params;
      send(JSON.stringify({ jsonrpc: "2.0", ...message, params: described }));
    };

    it("are answered in the same framing, with any characters", async () => {
      request(opening);
      request({ id: "é", method: "prompts/get", params: { name: "summarize", arguments: { text: "é€😀\n" } } });
      await expect.poll(() => answers.length).toBe(2);
      expect(answers.find(({ id }) => id === 0)).toHaveProperty("result.instructions");
      expect(answers.find(({ id }) => id === "é")).toMatchObject({
        result: { messages: [{ content: { text: "Please summarize the following text:\n\né€😀\n" } }] },
      });
      expect(bytes).toHaveLength(0);
    });

    it("are served after an invalid JSON message, which is answered with -32700", async () => {
      request(opening);
      send("foo :- bar.");
      request({ id: 1, method: "tools/call", params: { name: "factorial", arguments: { n: 3 } } });
      await expect.poll(() => answers.length).toBe(3);
      expect(answers.some(({ error }) => (error as { code?: number })?.code === -32700)).toBe(true);
      expect(answers.find(({ id }) => id === 1)).toMatchObject({
        result: { content: [{ text: "The factorial is: 6" }] },
      });
    });
  });
});
