import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Link } from "proffer/testing";
import { PendingRequests } from "./pending-requests.ts";

/** The time in milliseconds that a server has to exit after its stdin is closed, and again after SIGTERM. */
const GRACE = 2000;

/** Starts a command and connects to it over its stdin and stdout. Its stderr is passed on to the terminal. */
export function linkCommand([command = "", ...args]: readonly string[]): Link {
  return (receive) => {
    const pending = new PendingRequests(receive);
    const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
    const ended = once(child, "close").catch(() => undefined);
    child.once("error", (error) => pending.failAll(`${command} could not be started: ${error.message}`));
    child.once("close", (code, signal) => pending.failAll(`${command} ended (${signal ?? `exit code ${code}`}).`));
    // If the server has exited, the `close` event fails the pending requests.
    child.stdin.on("error", () => {});
    createInterface({ input: child.stdout }).on("line", (line) => pending.received(line));
    return {
      send(text) {
        pending.sent(JSON.parse(text));
        child.stdin.write(`${text}\n`);
      },
      async close() {
        child.stdin.end();
        const term = setTimeout(() => child.kill("SIGTERM"), GRACE);
        const kill = setTimeout(() => child.kill("SIGKILL"), 2 * GRACE);
        await ended;
        clearTimeout(term);
        clearTimeout(kill);
      },
    };
  };
}
