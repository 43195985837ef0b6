// npm run cluster: Redis or Valkey, four nodes, a balancer without sticky routing, and a client that shows which node
// answers. A node that ends is replaced. Everything is on free ports of 127.0.0.1.
//   --kill N       kills a node every N seconds
//   --seconds N    ends after N seconds; otherwise Ctrl-C does
import "./node-version.mjs";
import { register } from "node:module";
import { parseArgs } from "node:util";
import { ensureBuilt } from "./build.mjs";
import { ensureInstalled } from "./npm.mjs";
import { Failure, main, progress, whenOrphaned } from "./terminal.mjs";

await main(async () => {
  const { kill, seconds } = readOptions();
  ensureInstalled();
  await ensureBuilt();
  register("./typescript-hooks.mjs", import.meta.url);
  const { runCluster } = await import("../cluster/run.ts");
  const ended = new AbortController();
  const end = () => ended.abort();
  for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, end);
  whenOrphaned(end);
  if (seconds !== undefined) setTimeout(end, seconds * 1000).unref();
  await runCluster({ kill, signal: ended.signal, say: progress });
});

function readOptions() {
  const { values } = parseArgs({ options: { kill: { type: "string" }, seconds: { type: "string" } } });
  return { kill: positive("--kill", values.kill), seconds: positive("--seconds", values.seconds) };
}

function positive(name, text) {
  if (text === undefined) return undefined;
  const number = Number(text);
  // A longer time does not fit a timer.
  if (number > 0 && number <= 2_000_000) return number;
  throw new Failure(`${name} is ${JSON.stringify(text)}: set it to a positive number of seconds.`);
}
