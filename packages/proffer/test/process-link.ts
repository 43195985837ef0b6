import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { Link } from "proffer/testing";

/** Connects a testing client to a process that serves over stdio. */
export function linkProcess(child: ChildProcess, receive: (text: string) => void): ReturnType<Link> {
  const exit = once(child, "exit");
  const pending = new Set<unknown>();
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  // A write to a process that has ended fails; its exit is reported below.
  child.stdin?.on("error", () => {});
  eachLine(child, (line) => {
    const { id, method } = parse(line);
    if (method === undefined) pending.delete(id);
    receive(line);
  });
  // Without this, a client of a process that crashed would wait until the test times out.
  void once(child, "close").then(([code]) => {
    const message = `The server process ended with exit code ${code}:\n${stderr}`;
    for (const id of pending) receive(JSON.stringify({ jsonrpc: "2.0", id, error: { code: 0, message } }));
  });
  return {
    send(text) {
      const { id, method } = parse(text);
      if (id !== undefined && method !== undefined) pending.add(id);
      child.stdin?.write(`${text}\n`);
    },
    async close() {
      pending.clear();
      child.stdin?.end();
      const [code] = await exit;
      if (code !== 0) throw new Error(`The server process ended with exit code ${code}:\n${stderr}`);
    },
  };
}

/** Tests also send text that is not JSON. */
function parse(text: string): { readonly id?: unknown; readonly method?: unknown } {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

/** Replaces node:readline, which treats U+2028 as the end of a line. */
function eachLine(child: ChildProcess, receive: (text: string) => void): void {
  let rest = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) receive(line);
  });
}
