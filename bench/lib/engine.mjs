import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { freePort } from "./server-process.mjs";

const script = fileURLToPath(new URL("../../packages/proffer/test/ports/engine-process.mjs", import.meta.url));

/** Starts a native engine without persistence, or uses that of PROFFER_TEST_REDIS=host:port. */
export async function startEngine() {
  const [, host, given] = /^(.+):(\d+)$/.exec(process.env.PROFFER_TEST_REDIS ?? "") ?? [];
  if (host !== undefined) return { host, port: Number(given), stop: () => {} };
  const port = await freePort();
  for (const program of ["valkey-server", "redis-server"]) {
    const args = [script, program, String(port), "--save", "", "--appendonly", "no"];
    const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "ignore"] });
    const started = await Promise.race([once(child.stdout, "data"), once(child, "exit").then(() => undefined)]);
    if (started !== undefined) return { host: "127.0.0.1", port, stop: () => child.stdin.end() };
  }
  throw new Error("There is no valkey-server and no redis-server in PATH; set PROFFER_TEST_REDIS=host:port.");
}
