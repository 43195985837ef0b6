import { readFileSync, statSync } from "node:fs";

/** How often to look whether the parents are still the same. */
const INTERVAL = 2000;
/** More wrappers than this are not stacked. */
const MAX_WRAPPERS = 8;

/**
 * Calls back when a process that started this one is gone. A wrapper such as `npm exec`, with a shell between it and
 * us, may be killed without closing our stdin; whoever is left below it gets another parent. Shells are looked through
 * where /proc exists; elsewhere only our own parent is watched.
 */
export function watchParents(lost: () => void): void {
  const wrappers = findWrappers();
  const parents = wrappers.map(parentOf);
  const timer = setInterval(() => {
    if (wrappers.some((pid, index) => parentOf(pid) !== parents[index])) lost();
  }, INTERVAL);
  timer.unref();
}

/** This process, and those above it that only passed their stdin on. */
function findWrappers(): number[] {
  const wrappers = [process.pid];
  const stdin = stdinOf(process.pid);
  if (stdin === undefined) return wrappers;
  for (let pid = process.ppid; stdinOf(pid) === stdin && wrappers.length < MAX_WRAPPERS; pid = parentOf(pid)) {
    wrappers.push(pid);
  }
  return wrappers;
}

function parentOf(pid: number): number {
  if (pid === process.pid) return process.ppid;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name of the command, in parentheses, may have anything in it.
    return Number(stat.slice(stat.lastIndexOf(")")).split(" ")[2]);
  } catch {
    return 0;
  }
}

/** What identifies the pipe that a process has for its stdin; a terminal is shared by many who are not related. */
function stdinOf(pid: number): string | undefined {
  try {
    const stats = statSync(`/proc/${pid}/fd/0`);
    return stats.isFIFO() || stats.isSocket() ? `${stats.dev} ${stats.ino}` : undefined;
  } catch {
    return undefined;
  }
}
