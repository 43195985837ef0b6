import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { PATIENCE, type Program, useStdioServers } from "./stdio-process.ts";

const { bundleServer, startServer } = useStdioServers();

/** Longer than any test runs. */
const FOR_EVER = 1_000_000;

const ended = { code: 0, signal: null };

const printed = (program: Program, text: string) =>
  expect.poll(() => program.stderr, { timeout: PATIENCE }).toContain(text);

/** Starts calls that do not end by themselves and waits until they are in work. */
async function occupy(program: Program, count: number, tool = "wait"): Promise<void> {
  for (let id = 1; id <= count; id++) {
    program.send({ jsonrpc: "2.0", id, method: "tools/call", params: { name: tool, arguments: { ms: FOR_EVER } } });
  }
  await printed(program, "waiting\n".repeat(count));
}

/** Signals, and waits until requests are refused, which shows that the signal was heard. */
async function signal(program: Program, name: NodeJS.Signals): Promise<void> {
  program.child.kill(name);
  for (let id = 1000; ; id++) {
    const { error } = await program.request(id, "ping");
    if (error === undefined) continue;
    expect(error).toEqual({ code: -31000, message: "The server is shutting down; connect again later." });
    return;
  }
}

describe("when stdin ends", () => {
  it("T008 the process ends, although a timer and a socket are open", async () => {
    const program = await startServer();
    await program.request(1, "ping");
    program.child.stdin.end();
    expect(await program.exit).toEqual(ended);
  });

  it("T008 the process ends if it ends before anything was sent", async () => {
    const program = await startServer();
    program.child.stdin.end();
    expect(await program.exit).toEqual(ended);
    expect(program.lines).toEqual([]);
  });

  it("T009 calls in work are told to stop, and what does not stop is left behind", async () => {
    const program = await startServer();
    await occupy(program, 5);
    program.child.stdin.end();
    expect(await program.exit).toEqual(ended);
    expect(program.stderr.match(/aborted: AbortError: The client has closed the connection\./g)).toHaveLength(5);
    expect(program.stderr).not.toContain("rejected");
    expect(program.lines).toEqual([]);
  });

  it("T009 what calls answer when they are told to stop is still sent", async () => {
    const program = await startServer();
    await occupy(program, 5, "stop_when_told");
    program.child.stdin.end();
    expect(await program.exit).toEqual(ended);
    expect(program.lines.map((line) => JSON.parse(line).result.content[0].text)).toEqual(Array(5).fill("stopped"));
  });
});

describe("when the client is gone", () => {
  it("T010 a closed stdout ends the process at the next message", async () => {
    const program = await startServer();
    await program.request(1, "ping");
    program.child.stdout.destroy();
    program.send({ jsonrpc: "2.0", id: 2, method: "ping" });
    program.send({ jsonrpc: "2.0", id: 3, method: "ping" });
    expect(await program.exit).toEqual(ended);
    expect(program.stderr).not.toMatch(/EPIPE|ECONNRESET/);
  });

  it("T010 a closed stdout ends the process although calls are in work", async () => {
    const program = await startServer();
    await occupy(program, 3);
    program.child.stdout.destroy();
    program.send({ jsonrpc: "2.0", id: 4, method: "ping" });
    expect(await program.exit).toEqual(ended);
    expect(program.stderr.match(/aborted/g)).toHaveLength(3);
  });

  it("T010 a closed stderr as well does not make a failing tool fail again and again", async () => {
    const program = await startServer();
    await program.request(1, "ping");
    program.child.stderr.destroy();
    expect(await program.call(2, "throw")).toBe('The tool "throw" failed.');
    expect(await program.call(3, "throw")).toBe('The tool "throw" failed.');
    program.child.stdout.destroy();
    program.send({ jsonrpc: "2.0", id: 4, method: "tools/call", params: { name: "throw" } });
    expect(await program.exit).toEqual(ended);
  });

  it("T010 a closed stderr does no harm as long as stdout is read", async () => {
    const program = await startServer();
    await program.request(1, "ping");
    program.child.stderr.destroy();
    const before = await usage(program, 2);
    expect(await program.call(3, "print", { how: "console", times: 100 })).toBe("printed");
    expect(await program.call(4, "reject_unnoticed")).toBe("answered");
    await sleep(500);
    // A loop of errors that are logged would have taken all of that time.
    expect((await usage(program, 5)).cpu - before.cpu).toBeLessThan(400_000);
  });

  async function usage(program: Program, id: number): Promise<{ readonly rss: number; readonly cpu: number }> {
    return JSON.parse(await program.call(id, "usage"));
  }
});

describe.skipIf(process.platform === "win32")("T011 when the client is killed", () => {
  const quoted = (file: string) => `'${process.execPath}' '${file}'`;
  const wrappers: readonly [string, (file: string) => readonly [string, ...string[]]][] = [
    ["nothing", (file) => [process.execPath, file]],
    ["sh -c", (file) => ["sh", "-c", `${quoted(file)}; exit $?`]],
    ["npm exec", (file) => ["npm", "exec", "--offline", "-c", quoted(file)]],
  ];

  /** Gathers what all processes of a chain print, and knows when the last of them is gone: then the pipe is closed. */
  function watch({ stderr }: { readonly stderr: Readable | null }) {
    let text = "";
    const closed = new Promise<void>((resolve) => stderr?.on("data", (more) => (text += more)).once("close", resolve));
    const ready = expect.poll(() => text, { timeout: PATIENCE }).toMatch(/serving as \d+\n/);
    onTestFinished(() => {
      const pid = Number(/serving as (\d+)\n/.exec(text)?.[1]);
      if (!stderr?.destroyed) process.kill(pid, "SIGKILL");
    });
    return { ready, closed };
  }

  it.each(wrappers)("with %s between them, the process ends", async (_, command) => {
    const [executable, ...args] = command(await bundleServer());
    const script = `import { spawn } from "node:child_process";
      spawn(${JSON.stringify(executable)}, ${JSON.stringify(args)}, { stdio: ["pipe", "pipe", "inherit"] });
      setInterval(() => {}, 1000);`;
    const client = spawn(process.execPath, ["--input-type=module", "--eval", script]);
    const { ready, closed } = watch(client);
    await ready;
    client.kill("SIGKILL");
    await closed;
  });

  it.runIf(process.platform === "linux").each(wrappers.slice(1))(
    "or only the wrapper %s is, and the pipe to stdin stays open, the process ends",
    async (_, command) => {
      const [executable, ...args] = command(await bundleServer());
      const folder = mkdtempSync(join(tmpdir(), "proffer-fifo-"));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const fifo = join(folder, "stdin");
      execFileSync("mkfifo", [fifo]);
      const wrapper = spawn(executable, args, { stdio: [openSync(fifo, "r+"), "ignore", "pipe"] });
      const { ready, closed } = watch(wrapper);
      await ready;
      wrapper.kill("SIGKILL");
      await closed;
    },
  );
});

describe("when the process is told to stop", () => {
  it.each([
    ["SIGTERM", 2000],
    ["SIGINT", 500],
    ["SIGHUP", 500],
  ] as const)(
    "T012 by %s, what is in work is answered, what is new is refused, and the process ends",
    async (name, ms) => {
      const program = await startServer({ drainTimeout: FOR_EVER });
      const answer = program.call(1, "wait", { ms });
      await printed(program, "waiting");
      await signal(program, name);
      expect(await answer).toBe("waited");
      expect(await program.exit).toEqual(ended);
      expect(program.stderr).not.toContain("aborted");
    },
  );

  it("T012 and nothing is in work, it ends at once", async () => {
    const program = await startServer({ drainTimeout: FOR_EVER });
    await program.request(1, "ping");
    program.child.kill("SIGTERM");
    expect(await program.exit).toEqual(ended);
  });

  it("T012 a second time, it does not wait for what is in work", async () => {
    const program = await startServer({ drainTimeout: FOR_EVER });
    await occupy(program, 1);
    await signal(program, "SIGTERM");
    program.child.kill("SIGTERM");
    expect(await program.exit).toEqual(ended);
    expect(program.lines.some((line) => line.includes("waited"))).toBe(false);
  });

  it("T012 what does not finish in time is left behind", async () => {
    const program = await startServer({ drainTimeout: 100 });
    await occupy(program, 1);
    program.child.kill("SIGTERM");
    expect(await program.exit).toEqual(ended);
    expect(program.stderr).toContain("aborted: AbortError: The server is shutting down.");
  });

  it("T012 and the client is gone meanwhile, it does not wait for what is in work", async () => {
    const program = await startServer({ drainTimeout: FOR_EVER });
    await occupy(program, 1);
    await signal(program, "SIGTERM");
    program.child.stdout.destroy();
    program.send({ jsonrpc: "2.0", id: 2, method: "ping" });
    expect(await program.exit).toEqual(ended);
  });

  it("T012 and the client does not read, it ends nevertheless: a full pipe does not block it", async () => {
    const program = await startServer({ drainTimeout: 500 });
    await program.request(1, "ping");
    program.child.stdout.pause();
    program.send({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "large", arguments: { size: 1e7 } } });
    await sleep(200);
    program.child.kill("SIGTERM");
    // Its end shows only when what it wrote was read.
    const exited = new Promise((resolve) => program.child.once("exit", (code) => resolve(code)));
    expect(await exited).toBe(0);
  });
});

describe("when the client does not read", () => {
  it("T013 nothing more is read from it, memory stays bounded, and later every answer is there", {
    timeout: 300_000,
  }, async () => {
    const count = Number(process.env.PROFFER_ANSWERS ?? 5_000);
    const size = 100_000;
    const program = await startServer();
    await program.request("first", "ping");
    const { stdin, stdout } = program.child;
    stdout.pause();
    stdout.removeAllListeners("data");
    for (let id = 0; id < count; id++) {
      program.send({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "large", arguments: { size } } });
    }
    await sleep(1000);
    expect(stdin.writableLength).toBeGreaterThan(0);

    const ids: number[] = [];
    let rest = "";
    let wrong = 0;
    const tail = `,"result":{"content":[{"type":"text","text":"${"x".repeat(size)}"}]}}`;
    stdout.on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const id = Number(/^\{"jsonrpc":"2.0","id":(\d+),/.exec(line)?.[1]);
        ids.push(id);
        if (!line.endsWith(tail)) wrong++;
      }
    });
    stdout.resume();
    await expect.poll(() => ids.length, { timeout: 240_000, interval: 100 }).toBe(count);
    expect(wrong).toBe(0);
    expect(new Set(ids).size).toBe(count);

    let memory: string | undefined;
    stdout.on("data", (text: string) => {
      memory = /\\"rss\\":(\d+)/.exec(text)?.[1] ?? memory;
    });
    program.send({ jsonrpc: "2.0", id: "usage", method: "tools/call", params: { name: "usage" } });
    await expect.poll(() => memory, { timeout: PATIENCE }).toBeDefined();
    // All answers together are 500 MB at the least.
    expect(Number(memory)).toBeLessThan(300 * 1024 * 1024);
  });
});

describe("what nobody catches", () => {
  it("T098 a rejected promise is logged, and the process goes on", async () => {
    const program = await startServer();
    expect(await program.call(1, "reject_unnoticed")).toBe("answered");
    await printed(program, "A promise was rejected and nobody noticed: Error: nobody waits for this");
    expect(await program.call(2, "echo", { text: "alive" })).toBe("alive");
  });

  it("T098 an exception is logged, what is in work is answered, and the process ends with code 1", async () => {
    const program = await startServer({ drainTimeout: FOR_EVER });
    const answer = program.call(1, "wait", { ms: 500 });
    await printed(program, "waiting");
    expect(await program.call(2, "throw_later")).toBe("answered");
    expect(await answer).toBe("waited");
    expect(await program.exit).toEqual({ code: 1, signal: null });
    expect(program.stderr).toContain(
      "An exception was thrown outside any call; the server stops: Error: thrown in a timer",
    );
  });
});

describe("the process", () => {
  it("T103 serves one server over stdio, and says so to who wants to serve another", async () => {
    const program = await startServer();
    expect(await program.call(1, "serve_again")).toBe(
      "This process serves over stdio already; a second server would mix its messages with the first one's.",
    );
    expect(await program.call(2, "echo", { text: "alive" })).toBe("alive");
  });

  it("T012 has one handler for each signal", async () => {
    const program = await startServer();
    const listeners = JSON.parse(await program.call(1, "listeners")) as Record<string, number>;
    expect(listeners).toMatchObject({ SIGTERM: 1, SIGINT: 1, SIGHUP: 1, uncaughtException: 1, unhandledRejection: 1 });
  });
});
