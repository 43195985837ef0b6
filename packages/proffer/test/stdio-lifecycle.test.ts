import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Program, useStdioServers } from "./stdio-process.ts";

const { bundleServer, startServer } = useStdioServers();

/** Longer than any test runs. */
const FOR_EVER = 1_000_000;

const ended = { code: 0, signal: null };

const printed = (program: Program, text: string) => expect.poll(() => program.stderr).toContain(text);

/** Starts calls that never end, and waits until they are in flight. */
async function occupy(program: Program, count: number, tool = "wait"): Promise<void> {
  for (let id = 1; id <= count; id++) {
    program.send({ jsonrpc: "2.0", id, method: "tools/call", params: { name: tool, arguments: { ms: FOR_EVER } } });
  }
  await printed(program, "waiting\n".repeat(count));
}

/** Sends a signal, and waits until requests are rejected, which shows that the signal was handled. */
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
  it("the process ends despite an open timer and socket", async () => {
    const program = await startServer();
    await program.request(1, "ping");
    program.child.stdin.end();
    expect(await program.exit).toEqual(ended);
  });

  it("the process ends if no message was sent", async () => {
    const program = await startServer();
    program.child.stdin.end();
    expect(await program.exit).toEqual(ended);
    expect(program.lines).toEqual([]);
  });

  it("calls in flight are aborted, and calls that do not stop are abandoned", async () => {
    const program = await startServer();
    await occupy(program, 5);
    program.child.stdin.end();
    expect(await program.exit).toEqual(ended);
    expect(program.stderr.match(/aborted: AbortError: The client closed the connection\./g)).toHaveLength(5);
    expect(program.stderr).not.toContain("rejected");
    expect(program.lines).toEqual([]);
  });

  it("the responses of aborted calls are still sent", async () => {
    const program = await startServer();
    await occupy(program, 5, "stop_when_told");
    program.child.stdin.end();
    expect(await program.exit).toEqual(ended);
    expect(program.lines.map((line) => JSON.parse(line).result.content[0].text)).toEqual(Array(5).fill("stopped"));
  });
});

describe("when the client has disconnected", () => {
  it("a closed stdout ends the process at the next message", async () => {
    const program = await startServer();
    await program.request(1, "ping");
    program.child.stdout.destroy();
    program.send({ jsonrpc: "2.0", id: 2, method: "ping" });
    program.send({ jsonrpc: "2.0", id: 3, method: "ping" });
    expect(await program.exit).toEqual(ended);
    expect(program.stderr).not.toMatch(/EPIPE|ECONNRESET/);
  });

  it("a closed stdout ends the process despite calls in flight", async () => {
    const program = await startServer();
    await occupy(program, 3);
    program.child.stdout.destroy();
    program.send({ jsonrpc: "2.0", id: 4, method: "ping" });
    expect(await program.exit).toEqual(ended);
    expect(program.stderr.match(/aborted/g)).toHaveLength(3);
  });

  it("a closed stdout ends the process even if stderr is closed and a tool fails", async () => {
    const program = await startServer();
    await program.request(1, "ping");
    program.child.stderr.destroy();
    expect(await program.call(2, "throw")).toBe('Tool "throw" failed.');
    expect(await program.call(3, "throw")).toBe('Tool "throw" failed.');
    program.child.stdout.destroy();
    program.send({ jsonrpc: "2.0", id: 4, method: "tools/call", params: { name: "throw" } });
    expect(await program.exit).toEqual(ended);
  });

  it("a closed stderr has no effect while stdout is open", async () => {
    const program = await startServer();
    await program.request(1, "ping");
    program.child.stderr.destroy();
    const before = await usage(program, 2);
    expect(await program.call(3, "print", { how: "console", times: 100 })).toBe("printed");
    expect(await program.call(4, "reject_unnoticed")).toBe("answered");
    await sleep(500);
    // If logging an error caused another one, the event loop would never be idle.
    expect((await usage(program, 5)).idle - before.idle).toBeGreaterThan(100);
  });

  async function usage(program: Program, id: number): Promise<{ readonly rss: number; readonly idle: number }> {
    return JSON.parse(await program.call(id, "usage"));
  }
});

describe.skipIf(process.platform === "win32")("when the client is killed", () => {
  const quoted = (file: string) => `'${process.execPath}' '${file}'`;
  const wrappers: readonly [string, (file: string) => readonly [string, ...string[]]][] = [
    ["nothing", (file) => [process.execPath, file]],
    ["sh -c", (file) => ["sh", "-c", `${quoted(file)}; exit $?`]],
    ["npm exec", (file) => ["npm", "exec", "--offline", "-c", quoted(file)]],
  ];

  /** Collects the stderr of a chain of processes. The pipe closes when the last of them has exited. */
  function watch({ stderr }: { readonly stderr: Readable | null }) {
    let text = "";
    const closed = new Promise<void>((resolve) => stderr?.on("data", (more) => (text += more)).once("close", resolve));
    const ready = expect.poll(() => text).toMatch(/serving as \d+\n/);
    onTestFinished(() => {
      const pid = Number(/serving as (\d+)\n/.exec(text)?.[1]);
      if (!stderr?.destroyed) process.kill(pid, "SIGKILL");
    });
    return { ready, closed };
  }

  it.each(wrappers)("the process ends, with %s between them", async (_, command) => {
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
    "the process ends even if only the wrapper %s is killed and stdin stays open",
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

describe("when the process gets a signal", () => {
  it.each([
    ["SIGTERM", 2000],
    ["SIGINT", 500],
    ["SIGHUP", 500],
  ] as const)(
    "such as %s, calls in flight are answered, new ones are rejected, and the process ends",
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

  it("and no call is in flight, it ends immediately", async () => {
    const program = await startServer({ drainTimeout: FOR_EVER });
    await program.request(1, "ping");
    program.child.kill("SIGTERM");
    expect(await program.exit).toEqual(ended);
  });

  it("a second time, it does not wait for calls in flight", async () => {
    const program = await startServer({ drainTimeout: FOR_EVER });
    await occupy(program, 1);
    await signal(program, "SIGTERM");
    program.child.kill("SIGTERM");
    expect(await program.exit).toEqual(ended);
    expect(program.lines.some((line) => line.includes("waited"))).toBe(false);
  });

  it("calls that do not finish in time are abandoned", async () => {
    const program = await startServer({ drainTimeout: 100 });
    await occupy(program, 1);
    program.child.kill("SIGTERM");
    expect(await program.exit).toEqual(ended);
    expect(program.stderr).toContain("aborted: AbortError: The server is shutting down.");
  });

  it("and the client disconnects meanwhile, it does not wait for calls in flight", async () => {
    const program = await startServer({ drainTimeout: FOR_EVER });
    await occupy(program, 1);
    await signal(program, "SIGTERM");
    program.child.stdout.destroy();
    program.send({ jsonrpc: "2.0", id: 2, method: "ping" });
    expect(await program.exit).toEqual(ended);
  });

  it("and the client does not read, a full pipe does not block its exit", async () => {
    const program = await startServer({ drainTimeout: 500 });
    await program.request(1, "ping");
    program.child.stdout.pause();
    program.send({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "large", arguments: { size: 1e7 } } });
    await expect.poll(() => program.child.stdout.readableLength).toBeGreaterThan(0);
    program.child.kill("SIGTERM");
    // The "close" event comes only after its output is read; "exit" comes at once.
    const exited = new Promise((resolve) => program.child.once("exit", (code) => resolve(code)));
    expect(await exited).toBe(0);
  });
});

describe("when the client does not read", () => {
  it("the server stops reading, its memory stays bounded, and every response arrives later", {
    timeout: 600_000,
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
    await expect.poll(() => ids.length, { interval: 100 }).toBe(count);
    expect(wrong).toBe(0);
    expect(new Set(ids).size).toBe(count);

    let memory: string | undefined;
    stdout.on("data", (text: string) => {
      memory = /\\"rss\\":(\d+)/.exec(text)?.[1] ?? memory;
    });
    program.send({ jsonrpc: "2.0", id: "usage", method: "tools/call", params: { name: "usage" } });
    await expect.poll(() => memory).toBeDefined();
    // All responses together are at least 500 MB.
    expect(Number(memory)).toBeLessThan(300 * 1024 * 1024);
  });
});

describe("an uncaught error", () => {
  it("in a promise is logged, and the process continues", async () => {
    const program = await startServer();
    expect(await program.call(1, "reject_unnoticed")).toBe("answered");
    await printed(program, "Unhandled promise rejection: Error: nobody waits for this");
    expect(await program.call(2, "echo", { text: "alive" })).toBe("alive");
  });

  it("that is thrown is logged, calls in flight are answered, and the process ends with code 1", async () => {
    const program = await startServer({ drainTimeout: FOR_EVER });
    const answer = program.call(1, "wait", { ms: 500 });
    await printed(program, "waiting");
    expect(await program.call(2, "throw_later")).toBe("answered");
    expect(await answer).toBe("waited");
    expect(await program.exit).toEqual({ code: 1, signal: null });
    expect(program.stderr).toContain("Uncaught exception; the server stops: Error: thrown in a timer");
  });
});

describe("the process", () => {
  it("serves only one server over stdio, and rejects a second one", async () => {
    const program = await startServer();
    expect(await program.call(1, "serve_again")).toBe(
      "This process already serves over stdio; the messages of two servers would mix.",
    );
    expect(await program.call(2, "echo", { text: "alive" })).toBe("alive");
  });

  it("has one handler for each signal", async () => {
    const program = await startServer();
    const listeners = JSON.parse(await program.call(1, "listeners")) as Record<string, number>;
    expect(listeners).toMatchObject({ SIGTERM: 1, SIGINT: 1, SIGHUP: 1, uncaughtException: 1, unhandledRejection: 1 });
  });
});
