import { spawn } from "node:child_process";
import { once } from "node:events";
import { eachLine } from "../../bench/lib/stdio-client.mjs";
import { startStdio, stdioArguments } from "../server/process.mjs";
import { REVISIONS, requestOf } from "../wire.mjs";
import { malformed } from "./floods.mjs";

/** Time in which a server must exit after its client is gone, in milliseconds. */
const EXIT_LIMIT = 20_000;

/** Closes the pipes within a message, or with calls in flight. */
export async function cutPipes(arena) {
  const { child, line } = begin(arena);
  child.stdout.resume();
  child.stdin.write(line("linger"));
  child.stdin.write(line("work").slice(0, arena.random.below(60)));
  await arena.pause(300).catch(() => {});
  if (arena.random.below(2) === 0) child.stdout.destroy();
  child.stdin.destroy();
  await expectExit(arena, child);
}

/** Sends requests and malformed messages faster than they can be answered. */
export async function floodPipe(arena) {
  const { child, line, secret } = begin(arena);
  eachLine(child, (text) => arena.tally.received(text.toString(), secret));
  for (let left = 2000; left > 0; left--) {
    child.stdin.write(left % 2 === 0 ? line("echo") : `${malformed(arena, {}).replaceAll("\n", " ")}\n`);
  }
  child.stdin.end();
  await expectExit(arena, child);
}

/** Requests large answers and reads none. */
export async function leavePipeUnread(arena) {
  const { child, revision } = begin(arena);
  child.stdout.pause();
  for (let id = 0; id < 20; id++) {
    child.stdin.write(`${JSON.stringify(requestOf(revision, id, "resources/read", { uri: "docs://large.bin" }))}\n`);
  }
  await arena.pause(2000).catch(() => {});
  child.stdout.destroy();
  child.stdin.destroy();
  await expectExit(arena, child);
}

/** Ends the server by a signal while calls are in flight. */
export async function signalServer(arena) {
  const { child, line } = begin(arena);
  child.stdout.resume();
  child.stdin.write(line("linger"));
  await arena.pause(300).catch(() => {});
  child.kill(arena.random.pick(["SIGTERM", "SIGINT", "SIGKILL"]));
  child.stdin.end();
  await expectExit(arena, child);
}

/** Kills the wrapper that started the server, as `npm exec` is killed; the pipes stay open. */
export async function killWrapper(arena) {
  const [program, ...rest] = stdioArguments(arena.folder);
  const script = '"$0" "$@" ; true';
  const wrapper = spawn("sh", ["-c", script, process.execPath, program, ...rest], {
    stdio: ["pipe", "pipe", "ignore"],
    env: { ...process.env, SOAK_SECRET: "wrapped" },
  });
  wrapper.stdin.on("error", () => {});
  wrapper.stdin.write(`${JSON.stringify(requestOf(REVISIONS.at(-1), 1, "tools/call", { name: "pid" }))}\n`);
  const pid = await new Promise((resolve) => {
    eachLine(wrapper, (line) => resolve(Number(JSON.parse(line).result.content[0].text)));
    wrapper.once("exit", () => resolve(undefined));
  });
  wrapper.kill("SIGKILL");
  // The server has inherited stdout, which closes with it.
  const closed = once(wrapper.stdout, "close");
  if (pid !== undefined) await orphanUnless(arena, closed, () => process.kill(pid, "SIGKILL"));
  wrapper.stdin.destroy();
}

function begin(arena) {
  const secret = arena.random.secret();
  const revision = arena.random.pick(REVISIONS);
  const child = startStdio(arena.folder, secret);
  const line = (name) => `${JSON.stringify(arena.call({ revision, secret }, name, {}, arena.random.below(1e9)))}\n`;
  return { child, line, secret, revision };
}

async function expectExit(arena, child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await orphanUnless(arena, once(child, "exit"), () => child.kill("SIGKILL"));
}

/** Counts an orphan, and kills it, unless it has ended in time. */
async function orphanUnless(arena, ended, kill) {
  const timer = setTimeout(() => {
    arena.tally.orphan();
    kill();
  }, EXIT_LIMIT);
  await ended;
  clearTimeout(timer);
}
