// Servers run as processes and are measured from outside, through /proc, so that measuring costs them nothing.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import net from "node:net";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("..", import.meta.url));
/** Time limit of a response in milliseconds. */
export const PATIENCE = 30_000;
const START_LIMIT = 20_000;
const STOP_LIMIT = 3_000;

const running = new Set();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/**
 * Starts a server with a profile; over HTTP it listens when this resolves.
 * @param contender - a row of contenders.mjs
 * @param nodeFlags - such as `--expose-gc`
 */
export async function startServer(contender, transport, profile, nodeFlags = []) {
  const port = transport === "http" ? await freePort() : 0;
  const args = contender.command?.(transport, profile) ?? [contender.file, transport, contender.mode ?? "", profile];
  const child = spawn(process.execPath, [...nodeFlags, ...args], {
    cwd: folder,
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, PORT: String(port), NODE_ENV: "production" },
  });
  running.add(child);
  child.once("exit", () => running.delete(child));
  // If the server has exited, its missing responses show it.
  child.stdin.on("error", () => {});
  const server = new ServerProcess(contender, child, port);
  if (transport === "http") await server.listening();
  return server;
}

class ServerProcess {
  #printed = "";
  #ended;

  constructor(contender, child, port) {
    this.contender = contender;
    this.child = child;
    this.port = port;
    this.#ended = once(child, "exit");
    child.stderr.setEncoding("utf8").on("data", (text) => {
      this.#printed = (this.#printed + text).slice(-4_000);
    });
    if (port > 0) child.stdout.resume();
  }

  /** CPU time of all threads, in µs. */
  get cpuMicros() {
    let nanoseconds = 0;
    for (const thread of readdirSync(`/proc/${this.child.pid}/task`)) {
      try {
        const [onCpu] = readFileSync(`/proc/${this.child.pid}/task/${thread}/schedstat`, "utf8").split(" ");
        nanoseconds += Number(onCpu);
      } catch {
        // The thread has ended since the folder was listed.
      }
    }
    return nanoseconds / 1_000;
  }

  /** Resident memory in MiB. */
  get rssMiB() {
    const status = readFileSync(`/proc/${this.child.pid}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024;
  }

  /** The last output of the server on stderr. */
  get printed() {
    return this.#printed;
  }

  async listening() {
    const deadline = Date.now() + START_LIMIT;
    while (!(await accepts(this.port))) {
      if (this.child.exitCode !== null || Date.now() > deadline) throw this.failure("did not start listening");
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Returns an error with the last output of the server. */
  failure(what) {
    return new Error(`${this.contender.name} ${what}${this.#printed === "" ? "" : `; it printed: ${this.#printed}`}`);
  }

  async stop(signal = "SIGTERM") {
    this.child.kill(signal);
    const timer = setTimeout(() => this.child.kill("SIGKILL"), STOP_LIMIT);
    await this.#ended;
    clearTimeout(timer);
  }
}

/** Finds a port for a process that must know it before it listens. */
export async function freePort() {
  const probe = net.createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  probe.close();
  await once(probe, "close");
  return port;
}

function accepts(port) {
  return new Promise((resolve) => {
    const socket = net.connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
