import { once } from "node:events";
import { eachLine } from "../../bench/lib/stdio-client.mjs";
import { startStdio } from "../server/process.mjs";

/** Time in which a server must exit after its client has closed stdin, in milliseconds. */
const EXIT_LIMIT = 20_000;

/** Connects a client of `proffer/testing` to its own server over stdio. */
export function linkStdio({ folder, secret, tally }, receive) {
  const child = startStdio(folder, secret);
  const exit = once(child, "exit");
  const pending = new Set();
  eachLine(child, (line) => {
    const text = line.toString();
    const { id, method } = JSON.parse(text);
    if (method === undefined) pending.delete(id);
    receive(text);
  });
  void once(child, "close").then(([code]) => {
    const error = { code: 0, message: `The stdio server ended with exit code ${code}.` };
    for (const id of pending) receive(JSON.stringify({ jsonrpc: "2.0", id, error }));
  });
  return {
    send(text) {
      const { id, method, params } = JSON.parse(text);
      if (id !== undefined && method !== undefined) pending.add(id);
      if (method === "notifications/cancelled") pending.delete(params.requestId);
      child.stdin.write(`${text}\n`);
    },
    async close() {
      pending.clear();
      child.stdin.end();
      const timer = setTimeout(() => {
        tally.orphan();
        child.kill("SIGKILL");
      }, EXIT_LIMIT);
      const [code] = await exit;
      clearTimeout(timer);
      if (code !== 0) tally.wrong(`The stdio server of an honest client ended with exit code ${code}.`);
    },
    destroy() {
      child.kill("SIGKILL");
    },
  };
}
