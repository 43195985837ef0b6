import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../scripts/free-port.mjs";

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
  #program;
  #folder;
  #fsync;
  #child;

  /** @param fsync - "always": a kill loses nothing that was answered; "everysec": as the guide recommends */
  static async start(folder, fsync) {
    const engine = new Engine();
    engine.#program = findProgram();
    engine.#folder = folder;
    engine.#fsync = fsync;
    engine.port = await freePort();
    await engine.#run();
    return engine;
  }

  freeze() {
    this.#child.kill("SIGSTOP");
  }

  thaw() {
    this.#child.kill("SIGCONT");
  }

  async kill() {
    const exit = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
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
    const args = ["--port", String(this.port), "--bind", "127.0.0.1", "--dir", this.#folder, "--save", ""];
    const durable = ["--appendonly", "yes", "--appendfsync", this.#fsync, "--maxmemory-policy", "noeviction"];
    const child = spawn(this.#program, [...args, ...durable], { stdio: "ignore" });
    this.#child = child;
    // It must not survive a run that is interrupted.
    const kill = () => child.kill("SIGKILL");
    process.once("exit", kill);
    child.once("exit", () => process.off("exit", kill));
    // It answers "LOADING" until it has read its data.
    while (!(await this.command("PING").catch(() => "")).includes("PONG")) await sleep(10);
  }
}

async function open(port) {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  return socket;
}
