import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Link } from "proffer/testing";
import { CommandError } from "../terminal/command-error.ts";
import { currentShell } from "../terminal/shell.ts";
import { passOn } from "../terminal/terminal.ts";
import { Text } from "../terminal/text.ts";
import { parseMessage } from "./headers.ts";
import { ByteBudget, DEFAULT_MAX_BYTES } from "./limits.ts";
import { type LinkOptions, readLines, trackRequests } from "./link.ts";

/** The time in milliseconds that a server has to exit after its stdin is closed, and again after SIGTERM. */
const GRACE = 2000;

export interface CommandOptions extends LinkOptions {
  readonly cwd?: string | undefined;
  /** The environment. Default: that of this process. */
  readonly env?: NodeJS.ProcessEnv | undefined;
}

/** Starts a command and connects to it over its stdin and stdout. */
export function linkCommand([command = "", ...args]: readonly string[], options: CommandOptions = {}): Link {
  const {
    budget = new ByteBudget(DEFAULT_MAX_BYTES),
    observer = {},
    cwd = currentShell().cwd,
    env = currentShell().env,
  } = options;
  const showStderr = observer.stderr ?? ((text: string) => passOn(Text.block(text)));
  return (receive) => {
    const pending = trackRequests(command, receive);
    // Without a shell: the arguments reach the program unchanged.
    const child = spawn(command, args, { stdio: "pipe", shell: false, cwd, env });
    const ended = once(child, "close").catch(() => undefined);
    // If this process has to exit before the server does, as after Ctrl-C, the server must not stay behind.
    const abandon = () => child.kill("SIGKILL");
    process.once("exit", abandon);
    void ended.then(() => process.off("exit", abandon));
    const done = readMessages();
    child.stderr.setEncoding("utf8").on("data", showStderr);
    const fail = (reason: string) => {
      pending.failAll(reason);
      observer.ended?.(reason);
    };
    child.once("error", (error) => fail(`${command} could not be started: ${error.message}`));
    child.once("close", async (code, signal) => {
      // The last message may not be processed yet.
      await done;
      fail(`${command} ended (${signal ?? `exit code ${code}`}).`);
    });
    // If the server has exited, the `close` event fails the pending requests.
    child.stdin.on("error", () => {});

    async function readMessages(): Promise<void> {
      try {
        for await (const line of readLines(budget.meter(child.stdout), "message")) {
          observer.received?.(line);
          pending.received(line);
        }
      } catch (error) {
        if (error instanceof CommandError) pending.failAll(error.message);
        end();
      }
    }

    /** Also closes the pipes: a child process of the server may hold them open. */
    function end(): void {
      child.kill("SIGKILL");
      child.stdout.destroy();
      child.stderr.destroy();
    }

    return {
      send(text) {
        observer.sent?.(text);
        pending.sent(parseMessage(text));
        child.stdin.write(`${text}\n`);
      },
      async close() {
        child.stdin.end();
        const term = setTimeout(() => child.kill("SIGTERM"), GRACE);
        const kill = setTimeout(end, 2 * GRACE);
        await ended;
        clearTimeout(term);
        clearTimeout(kill);
      },
    };
  };
}
