// npm start: installs missing packages, builds stale ones, and serves the examples over HTTP on one port.
//   PORT=8080 npm start   uses another port
//   ALC_HOME=… npm start  serves another algocline home than that of the example
import "./node-version.mjs";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ensureBuilt } from "./build.mjs";
import { converse } from "./conversation.mjs";
import { ensureInstalled, root } from "./npm.mjs";
import { Failure, main, progress, whenOrphaned } from "./terminal.mjs";
import { describeTour, mounts, quickstart } from "./tour.mjs";

const host = "127.0.0.1";
const LISTENING = "Listening at ";

await main(async () => {
  const port = await findPort();
  ensureInstalled();
  await ensureBuilt();
  await converse(quickstart.module);
  await serveTour(port);
});

/** Returns the port. It is checked before the installation, which takes a while. */
async function findPort() {
  const { PORT = "3000" } = process.env;
  const port = Number(PORT);
  if (!/^\d+$/.test(PORT) || port > 65_535) {
    throw new Failure(`PORT is ${JSON.stringify(PORT)}: set it to a number from 0 to 65535; 0 picks a free port.`);
  }
  const probe = createServer().listen(port, host);
  try {
    await once(probe, "listening");
  } catch (error) {
    const reason = error.code === "EADDRINUSE" ? "is taken" : `cannot be used (${error.code})`;
    throw new Failure(`port ${port} ${reason}. Name another one: PORT=${port < 65_535 ? port + 1 : 3000} npm start`);
  }
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** Serves until the server exits, or this process receives a signal. */
async function serveTour(port) {
  progress(
    `proffer serve ${quickstart.module} --http ${port}, and ${mounts.length} others; the first time takes longer`,
  );
  const others = mounts.flatMap(({ path, module }) => ["--mount", `${path}=${module}`]);
  const server = spawn(
    process.execPath,
    [join(root, "packages/proffer/dist/bin.js"), "serve", quickstart.module, "--http", String(port), ...others],
    {
      cwd: root,
      stdio: ["ignore", "ignore", "pipe"],
      env: { ALC_HOME: join(root, "examples/algocline/fixtures/home"), ...process.env },
    },
  );
  const ended = once(server, "exit");
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => server.kill(signal));
  whenOrphaned(() => server.kill("SIGTERM"));
  let urls = 0;
  for await (const line of createInterface({ input: server.stderr })) {
    if (!line.startsWith(LISTENING)) process.stderr.write(`${line}\n`);
    else if (++urls === 1) process.stdout.write(describeTour(new URL(line.slice(LISTENING.length)).origin));
  }
  const [code] = await ended;
  if (code !== 0 && code !== null)
    throw new Failure(`the server ended with exit code ${code}; its messages are above.`);
}
