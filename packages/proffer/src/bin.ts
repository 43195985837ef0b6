#!/usr/bin/env node
/**
 * The launcher: the command line itself lives in @proffer/cli, which brings the TypeScript compiler and is installed
 * only where servers are developed.
 */
import * as modules from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

interface CommandLine {
  run(argv: readonly string[]): Promise<number>;
}

// Node 22 and later can keep what they compiled for the next start; on Node 20 there is no such function.
(modules as { enableCompileCache?: () => unknown }).enableCompileCache?.();

const own = modules.createRequire(import.meta.url);

/** The project's own @proffer/cli wins over the one beside this package, which may be a global installation. */
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
    process.stdout.write(`${own("../package.json").version}\n`);
    return 0;
  }
  const path = findCommandLine();
  if (path === undefined) {
    process.stderr.write(
      "The proffer command needs the package @proffer/cli, which is not installed here. Install it:\n\n" +
        "  npm install --save-dev @proffer/cli\n",
    );
    return 1;
  }
  const { run } = (await import(pathToFileURL(path).href)) as CommandLine;
  return run(argv);
}

// An explicit exit: timers and sockets of the served module must not keep the process alive once its client is gone.
process.exit(await main(process.argv.slice(2)));
