import { fs } from "./builtins.ts";

/** Milliseconds between checks of the parent processes. */
const INTERVAL = 2000;
/** The maximum number of wrapper processes to look through. */
const MAX_WRAPPERS = 8;

/**
 * Calls back when a process that started this one has exited. A wrapper such as `npm exec`, with a shell in between,
 * may be killed without closing our stdin; its children then get another parent. With /proc, wrappers up the chain are
 * watched; elsewhere only our own parent.
 */
export function watchParents(lost: () => void): void {
  const wrappers = findWrappers();
  const parents = wrappers.map(parentOf);
  const timer = setInterval(() => {
    if (wrappers.some((pid, index) => parentOf(pid) !== parents[index])) lost();
  }, INTERVAL);
  timer.unref();
}

/** This process, and its ancestors that share its stdin. */
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
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "latin1");
    // The command name, in parentheses, may contain any character.
    return Number(stat.slice(stat.lastIndexOf(")")).split(" ")[2]);
  } catch {
    return 0;
  }
}

/** Identifies the pipe that is the stdin of a process; undefined for a terminal, which unrelated processes share. */
function stdinOf(pid: number): string | undefined {
  try {
    // Without `bigint`, Node would no longer resolve symbolic links in the paths of imports: its realpathSync gives up if
    // the last such call of the process found a pipe or a socket. With pnpm, a lazy import would then fail.
    const stats = fs.statSync(`/proc/${pid}/fd/0`, { bigint: true });
    return stats.isFIFO() || stats.isSocket() ? `${stats.dev} ${stats.ino}` : undefined;
  } catch {
    return undefined;
  }
}
