#!/usr/bin/env node
/**
 * The launcher. The command line itself is in @proffer/cli, which depends on the TypeScript compiler and is installed
 * only for development.
 */
import * as modules from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

interface CommandLine {
  run(argv: readonly string[]): Promise<number>;
}

// Node 22 and later can cache compiled code on disk for the next start; Node 20 does not have the function.
(modules as { enableCompileCache?: () => unknown }).enableCompileCache?.();

const own = modules.createRequire(import.meta.url);

/** Prefers the project's own @proffer/cli to the one next to this package, which may be a global installation. */
function findCommandLine(): string | undefined {
  for (const from of [modules.createRequire(join(process.cwd(), "package.json")), own]) {
    try {
      return from.resolve("@proffer/cli");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw error;
    }
  }
  return undefined;
}

async function main(argv: readonly string[]): Promise<number> {
  if (argv.length === 1 && argv[0] === "--version") {
    await put(process.stdout, `${own("../package.json").version}\n`);
    return 0;
  }
  const path = findCommandLine();
  if (path === undefined) {
    await put(
      process.stderr,
      "The proffer command requires the package @proffer/cli, which is not installed. Install it:\n\n" +
        "  npm install --save-dev @proffer/cli\n",
    );
    return 1;
  }
  const { run } = (await import(pathToFileURL(path).href)) as CommandLine;
  return run(argv);
}

/** Writes a text. A reader that is gone does not matter: the callback gets the error, and so does the listener. */
function put(stream: NodeJS.WriteStream, text: string): Promise<void> {
  stream.on("error", () => {});
  return new Promise((resolve) => stream.write(text, () => resolve()));
}

// Exits explicitly: timers and sockets of the served module must not keep the process alive after the client left.
process.exit(await main(process.argv.slice(2)));
