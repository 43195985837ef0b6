import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import type { Link } from "../src/testing/client.ts";

const fixtures = fileURLToPath(new URL("./fixtures", import.meta.url));

/** A key of its own, so that a server need not say that it has none. */
const env = { ...process.env, PROFFER_KEYS: Buffer.alloc(32, 1).toString("base64") };

export interface Bundle {
  /** The file to run with Node; it serves over stdio. */
  readonly path: string;
  /** Starts a process and connects to it. */
  readonly link: Link;
  remove(): Promise<void>;
}

/** Makes one file of a module of `fixtures/` that default-exports a server, ready to be served over stdio. */
export async function bundleFixture(module: string): Promise<Bundle> {
  const folder = await mkdtemp(join(tmpdir(), "proffer-fixture-"));
  const path = join(folder, "server.mjs");
  await build({
    stdin: {
      contents: `import server from "./${module}";
        import { serveStdio } from "../../src/stdio.ts";
        await serveStdio(server);`,
      resolveDir: fixtures,
      loader: "ts",
    },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    // What is CommonJS among the bundled packages may ask for a built-in.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    outfile: path,
    logLevel: "error",
  });
  return { path, link: (receive) => startProcess(path, receive), remove: () => rm(folder, { recursive: true }) };
}

function startProcess(path: string, receive: (text: string) => void): ReturnType<Link> {
  const child = spawn(process.execPath, [path], { env, stdio: ["pipe", "pipe", "pipe"] });
  const ended = once(child, "exit");
  let printed = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  // A process that is gone shows by its missing answers and its exit code.
  child.stdin.on("error", () => {});
  eachLine(child, receive);
  return {
    send: (text) => void child.stdin.write(`${text}\n`),
    async close() {
      child.stdin.end();
      const [code] = await ended;
      if (code !== 0) throw new Error(`The server process ended with exit code ${code}:\n${printed}`);
    },
  };
}

/** Not node:readline, which takes U+2028 for the end of a line. */
function eachLine(child: ChildProcess, receive: (text: string) => void): void {
  let rest = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) receive(line);
  });
}
