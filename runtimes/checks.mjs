import { spawn } from "node:child_process";
import { once } from "node:events";
import { freePort } from "../scripts/free-port.mjs";
import { checkStdio, checkUrl, expectDate } from "./clients.mjs";
import { COMMAND } from "./workplace.mjs";

/** In milliseconds; only ends a check that hangs. */
const TIMEOUT = 180_000;

const hasFetchServer = ({ name }) => name === "bun" || name === "deno";
const isScript = (runtime) => runtime.isScript;

/** One column of the report each. `applies` tells whether a run-time can have the feature at all. */
export const CHECKS = [
  {
    name: "core",
    applies: isScript,
    run: async (start) => expectDate(await start("server.mjs", "core").output()),
  },
  { name: "stdio", applies: isScript, run: (start) => start("server.mjs", "stdio").talk() },
  { name: "http", applies: isScript, run: (start) => start("server.mjs", "http").visit() },
  { name: "fetch", applies: hasFetchServer, run: (start) => start("server.mjs", "fetch").visit() },
  {
    name: "list",
    applies: isScript,
    run: async (start, workplace) => {
      // Otherwise the compiler would run on the first run-time only.
      workplace.clearCache();
      const printed = await start(COMMAND, "list", "tools.ts").output();
      if (!printed.includes("later(from)")) throw new Error(`unexpected output: ${printed.slice(0, 500)}`);
    },
  },
  {
    name: "call",
    applies: isScript,
    run: async (start) =>
      expectDate(await start(COMMAND, "call", "tools.ts", "later", "--arg", "from=2024-02-28T00:00:00Z").output()),
  },
  {
    name: "serve",
    applies: isScript,
    run: async (start) => {
      await start(COMMAND, "serve", "tools.ts").talk();
      await start(COMMAND, "serve", "tools.ts", "--http", "0").visit();
    },
  },
  {
    name: "build",
    applies: isScript,
    run: async (start, workplace) => {
      await start(workplace.build()).talk();
      await start(workplace.build(), "--http", "0").visit();
    },
  },
  {
    name: "bundle",
    applies: isScript,
    run: async (start, workplace) => {
      await start(workplace.bundle()).talk();
      await start(workplace.bundle(), "--http", "0").visit();
    },
  },
  { name: "worker", applies: (runtime) => !runtime.isScript, run: runWorker },
];

/** Runs one check. @throws with the reason if it fails. */
export async function runCheck({ run }, runtime, workplace) {
  let timer;
  const children = [];
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no result after ${TIMEOUT / 1000} s`)), TIMEOUT);
  });
  const start = (...args) => startProgram(runtime, workplace, args, children);
  try {
    await Promise.race([run(start, workplace), late]);
  } finally {
    clearTimeout(timer);
    for (const child of children) child.kill("SIGKILL");
  }
}

/** Describes a program that is started when one of the functions is called. */
function startProgram(runtime, { folder }, args, children) {
  const command = [...runtime.arguments, ...args];
  const spawned = () => {
    const env = { ...process.env, NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" };
    const child = spawn(runtime.program, command, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
    children.push(child);
    return child;
  };
  return {
    /** Waits for the end and returns the output. */
    async output() {
      const child = spawned();
      const [stdout, stderr, [status]] = await Promise.all([
        read(child.stdout),
        read(child.stderr),
        once(child, "close"),
      ]);
      if (status !== 0) throw new Error(`exit code ${status}\n${stderr.slice(-2_000)}`);
      return stdout;
    },
    /** Talks to it over stdio. */
    talk: () => checkStdio(runtime.program, command, folder),
    /** Waits for its URL on stderr and talks to it over HTTP. */
    async visit() {
      const child = spawned();
      await checkUrl(await urlOf(child));
      child.kill("SIGTERM");
      await once(child, "close");
    },
    /** Starts it, for programs that print no URL. */
    spawned,
  };
}

async function read(stream) {
  let text = "";
  for await (const chunk of stream.setEncoding("utf8")) text += chunk;
  return text;
}

function urlOf(child) {
  return new Promise((resolve, reject) => {
    let printed = "";
    child.stderr.setEncoding("utf8").on("data", (text) => {
      printed = `${printed}${text}`.slice(-5_000);
      const [url] = /http:\/\/\S+\/mcp(?=\s)/.exec(printed) ?? [];
      if (url !== undefined) resolve(url);
    });
    child.once("close", (status) => reject(new Error(`exit code ${status} before a URL\n${printed.slice(-2_000)}`)));
  });
}

async function runWorker(start, workplace) {
  const port = await freePort();
  const child = start("serve", await workplace.worker(port)).spawned();
  const printed = read(child.stderr);
  const ended = once(child, "close").then(async () => {
    throw new Error(`workerd ended\n${(await printed).slice(-2_000)}`);
  });
  const url = `http://127.0.0.1:${port}/mcp`;
  await Promise.race([ended, untilListening(url)]);
  await Promise.race([ended, checkUrl(url)]);
  ended.catch(() => {});
}

async function untilListening(url) {
  for (;;) {
    const reached = await fetch(url).catch(() => undefined);
    await reached?.arrayBuffer();
    if (reached !== undefined) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
