import { builtinModule } from "../support/run-time.ts";
import { ConnectionError } from "./errors.ts";
import { DEFAULT_MAX_BYTES, type Link, type LinkOptions, readLines, TAKES_NOTHING } from "./link.ts";

/** The time in milliseconds that a server has to exit after its stdin is closed, and again after SIGTERM. */
const GRACE = 2000;

type Variables = NonNullable<CommandOptions["env"]>;

/** Options of a link to a command. */
export interface CommandOptions extends LinkOptions {
  /** The folder in which the command runs. Default: that of this process. */
  readonly cwd?: string | undefined;
  /** The environment. Default: the variables of this process that hold no secrets, such as `PATH` and `HOME`. */
  readonly env?: { readonly [name: string]: string | undefined } | undefined;
  /** Receives the stderr of the command. Default: it is that of this process. */
  readonly onStderr?: ((text: string) => void) | undefined;
}

/** The parts of a process of Node that this module uses: the client is checked without the types of Node. */
interface ChildProcess {
  readonly stdin: {
    readonly writableLength: number;
    write(text: string): void;
    end(): void;
    on(event: "error", ignore: () => void): void;
  };
  readonly stdout: AsyncIterable<Uint8Array> & { destroy(): void };
  readonly stderr: {
    setEncoding(encoding: "utf8"): { on(event: "data", listener: (text: string) => void): void };
    destroy(): void;
  } | null;
  once(event: "error", listener: (error: Error) => void): void;
  once(event: "close", listener: (code: number | null, signal: string | null) => void): void;
  kill(signal: "SIGTERM" | "SIGKILL"): boolean;
}

interface NodeProcess {
  readonly env: Variables;
  once(event: "exit", listener: () => void): void;
  off(event: "exit", listener: () => void): void;
}

type Spawn = (command: string, args: readonly string[], options: object) => ChildProcess;

/** The variables that programs need to start. All others may be secrets, which a server of others must not read. */
const PASSED_ON = [
  ...["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"],
  ...["APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROGRAMFILES", "SYSTEMDRIVE"],
  ...["SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE"],
];

/** The processes of all links: one listener for them, because Node warns of many. */
const running = new Set<ChildProcess>();

/** If this process has to exit before a server does, as after Ctrl-C, the server must not stay behind. */
function abandon(): void {
  for (const child of running) child.kill("SIGKILL");
}

/** The variables of this process that a server of others may read. */
export function safeVariables(): { readonly [name: string]: string | undefined } {
  const { env } = (globalThis as unknown as { process: NodeProcess }).process;
  return Object.fromEntries(Object.entries(env).filter(([name]) => PASSED_ON.includes(name.toUpperCase())));
}

/** Starts a command and connects to it over its stdin and stdout. Only in Node, Bun and Deno. */
export function linkCommand([command = "", ...args]: readonly string[], options: CommandOptions = {}): Link {
  const { observer = {}, cwd, onStderr, maxBytes, meter } = options;
  return (receive, events) => {
    const { spawn } = (builtinModule("node:child_process") ?? {}) as { spawn?: Spawn };
    const { process } = globalThis as unknown as { process: NodeProcess };
    if (spawn === undefined) throw new ConnectionError("unreachable", "This run-time cannot start commands.");
    const { env = safeVariables() } = options;
    const stdio = ["pipe", "pipe", onStderr === undefined ? "inherit" : "pipe"];
    // Without a shell: the arguments reach the program unchanged.
    const child = spawn(command, args, { stdio, shell: false, cwd, env });
    const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
    if (running.size === 0) process.once("exit", abandon);
    running.add(child);
    void closed.then(() => {
      running.delete(child);
      if (running.size === 0) process.off("exit", abandon);
    });
    const done = readMessages();
    if (onStderr !== undefined) child.stderr?.setEncoding("utf8").on("data", onStderr);
    const fail = (kind: "unreachable" | "ended", reason: string) => {
      events.fail(new ConnectionError(kind, reason));
      observer.ended?.(reason);
    };
    const started = new Promise<void>((resolve) =>
      child.once("error", (error) => {
        fail("unreachable", `${command} could not be started: ${error.message}`);
        resolve();
      }),
    );
    child.once("close", async (code, signal) => {
      // The last message may not be processed yet.
      await done;
      fail("ended", `${command} ended (${signal ?? `exit code ${code}`}).`);
    });
    // If the server has exited, the `close` event fails the pending requests.
    child.stdin.on("error", () => {});

    async function readMessages(): Promise<void> {
      try {
        const chunks = meter === undefined ? child.stdout : meter(child.stdout);
        for await (const line of readLines(chunks, "message", maxBytes)) {
          observer.received?.(line);
          receive(line);
        }
      } catch (error) {
        if (error instanceof ConnectionError) events.fail(error);
        end();
      }
    }

    /** Also closes the pipes: a child process of the server may hold them open. */
    function end(): void {
      child.kill("SIGKILL");
      child.stdout.destroy();
      child.stderr?.destroy();
    }

    return {
      send(text, message) {
        if (message?.method === undefined && child.stdin.writableLength > (maxBytes ?? DEFAULT_MAX_BYTES)) {
          events.fail(new ConnectionError("malformed", `${command} ${TAKES_NOTHING}`));
          return end();
        }
        observer.sent?.(text);
        child.stdin.write(`${text}\n`);
      },
      async close() {
        child.stdin.end();
        const term = setTimeout(() => child.kill("SIGTERM"), GRACE);
        const kill = setTimeout(end, 2 * GRACE);
        await Promise.race([closed, started]);
        clearTimeout(term);
        clearTimeout(kill);
      },
    };
  };
}
