import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import process from "node:process";
import type { Link } from "proffer/testing";
import { linkProcess } from "../packages/proffer/test/process-link.ts";

const LAUNCHER = join(dirname(createRequire(import.meta.url).resolve("proffer/package.json")), "dist/bin.js");
/** A fixed key, so that the server does not warn that it has none. */
const KEYS = { PROFFER_KEYS: Buffer.alloc(32, 1).toString("base64") };

type Variables = { readonly [name: string]: string };

/** Starts `proffer serve` for a module, using the built packages. */
export function startServe(module: string, flags: readonly string[] = [], variables: Variables = {}): ChildProcess {
  if (!existsSync(LAUNCHER)) throw new Error(`${LAUNCHER} is missing: run \`npm run build\` first.`);
  const env = { ...process.env, ...KEYS, ...variables };
  return spawn(process.execPath, [LAUNCHER, "serve", module, ...flags], { env, stdio: ["pipe", "pipe", "pipe"] });
}

/** Starts a process that serves a module over stdio, and connects to it. */
export function linkStdio(module: string, variables?: Variables): Link {
  return (receive) => linkProcess(startServe(module, [], variables), receive);
}

/** A process that serves a module over HTTP. */
export interface HttpProcess {
  readonly url: string;
  readonly pid: number | undefined;
  /** The process's output to stderr so far. */
  log(): string;
  close(): Promise<void>;
  /** Kills the process without a warning. */
  kill(): Promise<void>;
}

/** Starts a process that serves a module over HTTP, by default on a free port. */
export async function serveOverHttp(
  module: string,
  variables?: Variables,
  flags: readonly string[] = ["--http", "0"],
): Promise<HttpProcess> {
  const child = startServe(module, flags, variables);
  const exit = once(child, "exit");
  let said = "";
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const [, found] = /^Listening at (\S+)$/m.exec(said) ?? [];
      if (found !== undefined) resolve(found);
    });
    void exit.then(() => reject(new Error(`${module} was not served:\n${said}`)));
  });
  return {
    url,
    pid: child.pid,
    log: () => said,
    async close() {
      child.kill("SIGTERM");
      await exit;
    },
    async kill() {
      child.kill("SIGKILL");
      await exit;
    },
  };
}
