import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "../scripts/free-port.mjs";

/** Ends the server when the process that started it has ended, however that ended. */
const WATCHED = fileURLToPath(new URL("../packages/proffer/test/ports/engine-process.mjs", import.meta.url));

/** Finds a native server in `PATH`: these runs need persistence, which the WebAssembly build does not have. */
export function findProgram() {
  for (const name of ["valkey-server", "redis-server"]) {
    for (const place of (process.env.PATH ?? "").split(delimiter)) {
      if (place !== "" && existsSync(join(place, name))) return join(place, name);
    }
  }
  return undefined;
}

/** A Redis or Valkey that keeps its data over a kill. */
export class Engine {
  port;
  #args;
  #child;
  #pid;

  /**
   * @param fsync - "always": a kill loses nothing that was answered; "everysec": as the guide recommends
   * @param primary - the port of the server whose replica this is
   */
  static async start(folder, { fsync = "everysec", primary } = {}) {
    const engine = new Engine();
    engine.port = await freePort();
    engine.#args = [
      ...["--dir", folder, "--save", "", "--maxmemory-policy", "noeviction"],
      ...["--appendonly", "yes", "--appendfsync", fsync, "--repl-diskless-sync-delay", "0"],
      ...(primary === undefined ? [] : ["--replicaof", "127.0.0.1", String(primary)]),
    ];
    await engine.#run();
    return engine;
  }

  freeze() {
    process.kill(this.#pid, "SIGSTOP");
  }

  thaw() {
    process.kill(this.#pid, "SIGCONT");
  }

  async kill() {
    if (this.#child.exitCode !== null) return;
    const exit = once(this.#child, "exit");
    process.kill(this.#pid, "SIGKILL");
    await exit;
  }

  /** Starts it again after `kill`, with its data. */
  restart() {
    return this.#run();
  }

  /** Sends one command; resolves with the reply as Redis wrote it. */
  async command(...words) {
    const socket = await open(this.port);
    const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`);
    socket.write(`*${words.length}\r\n${parts.join("")}`);
    const [reply] = await once(socket, "data");
    socket.destroy();
    return String(reply).trim();
  }

  async #run() {
    const args = [WATCHED, findProgram(), String(this.port), ...this.#args];
    // In its own process group: Ctrl-C must not end it before the nodes that use it.
    const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"], detached: true });
    this.#child = child;
    const ended = once(child, "exit").then(() => Promise.reject(new Error("Redis did not start.")));
    ended.catch(() => {});
    const [line] = await Promise.race([once(child.stdout, "data"), ended]);
    this.#pid = Number(/^engine (\d+)$/m.exec(String(line))[1]);
    // It answers "LOADING" until it has read its data.
    while (!(await this.command("PING").catch(() => "")).includes("PONG")) await sleep(10);
  }
}

async function open(port) {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  return socket;
}
