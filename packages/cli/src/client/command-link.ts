import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Link } from "proffer/testing";
import { Unanswered } from "./unanswered.ts";

/** How long a server may take to end by itself once its stdin is closed, and once it was told to. */
const GRACE = 2000;

/** Starts a command and talks to it over its stdin and stdout; what it says on stderr is shown. */
export function linkCommand([command = "", ...args]: readonly string[]): Link {
  return (receive) => {
    const unanswered = new Unanswered(receive);
    const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
    const ended = once(child, "close").catch(() => undefined);
    child.once("error", (error) => unanswered.failAll(`${command} could not be started: ${error.message}`));
    child.once("close", (code, signal) => unanswered.failAll(`${command} ended (${signal ?? `exit code ${code}`}).`));
    // A server that is gone shows by its missing answers.
    child.stdin.on("error", () => {});
    createInterface({ input: child.stdout }).on("line", (line) => unanswered.received(line));
    return {
      send(text) {
        unanswered.sent(JSON.parse(text));
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
