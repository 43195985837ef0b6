import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Redis } from "ioredis";
import { afterAll, describe, expect, it } from "vitest";
import { freePort } from "../free-port.ts";
import { type Found, findEngine, startEngine } from "./engine.ts";

const folder = mkdtempSync(join(tmpdir(), "proffer-engine-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("the engine of the tests", () => {
  it("is the address of PROFFER_TEST_REDIS, a program in PATH, the package, or none", () => {
    const program = join(folder, "redis-server");
    writeFileSync(program, "");
    expect(findEngine({ PROFFER_TEST_REDIS: "::1:7000", PATH: folder })).toEqual({
      kind: "address",
      host: "::1",
      port: 7000,
    });
    expect(() => findEngine({ PROFFER_TEST_REDIS: "localhost" })).toThrow("must be host:port");
    expect(findEngine({ PATH: `/nowhere:${folder}` })).toEqual({ kind: "native", program });
    writeFileSync(join(folder, "valkey-server"), "");
    expect(findEngine({ PATH: folder })).toEqual({ kind: "native", program: join(folder, "valkey-server") });
    expect(findEngine({ PATH: "/nowhere" })).toEqual({ kind: "wasm" });
    expect(findEngine({ PATH: "/nowhere" }, false)).toBeUndefined();
  });

  const native = findEngine({ PATH: process.env.PATH });
  const kinds: Found[] = native?.kind === "native" ? [native, { kind: "wasm" }] : [{ kind: "wasm" }];
  it.each(kinds)("starts, restarts without data and stops: $kind", async (found) => {
    const engine = await startEngine(found);
    const client = new Redis({ port: engine.port, maxRetriesPerRequest: null, retryStrategy: () => 20 });
    client.on("error", () => {});
    await client.set("key", "value");
    await engine.restart();
    await expect.poll(() => client.get("key").catch((error: Error) => error)).toBeNull();
    engine.signal("SIGSTOP");
    await engine.stop();
    client.disconnect();
    expect(await answers(engine.port)).toBe(false);
  });

  it.each(kinds)("ends when the process that started it is killed: $kind", async (found) => {
    const port = await freePort();
    const script = fileURLToPath(new URL("engine-process.mjs", import.meta.url));
    const program = found.kind === "native" ? found.program : "wasm";
    // The engine's input is a pipe from this process, as it is from a test process.
    const code = `const { spawn } = require("node:child_process");
      const child = spawn(process.execPath, ${JSON.stringify(["--no-warnings", script, program, String(port)])}, { stdio: ["pipe", "ignore", "inherit"] });`;
    const parent = spawn(process.execPath, ["--no-warnings", "-e", code], { stdio: "inherit" });
    await expect.poll(() => answers(port)).toBe(true);
    parent.kill("SIGKILL");
    await expect.poll(() => answers(port)).toBe(false);
  });
});

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  const [outcome] = await Promise.race([
    once(socket, "connect").then(() => [true]),
    once(socket, "error").then(
      () => [false],
      () => [false],
    ),
  ]).catch(() => [false]);
  socket.destroy();
  return outcome === true;
}
