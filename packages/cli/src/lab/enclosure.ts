import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Run as root of new namespaces: only loopback, every file read-only except the folder of the run, and no way back. The
 * flags of a mount that its owner has locked must stay.
 */
const SETUP = `set -e
ip link set lo up
mount --bind "$1" "$1"
while read -r _ _ _ _ point options _; do
  case "$point" in "$1"|/proc|/proc/*) continue;; esac
  case ",$options," in *,ro,*) continue;; esac
  kept=
  for each in nosuid nodev noexec noatime nodiratime relatime; do
    case ",$options," in *,$each,*) kept="$kept,$each";; esac
  done
  point=$(printf %b "$point")
  mount -o "remount,bind,ro$kept" "$point" || test ! -w "$point"
done < /proc/self/mountinfo
shift
exec setpriv --bounding-set=-all --inh-caps=-all --no-new-privs "$@"`;

const NAMESPACES = ["--map-root-user", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];

const RELAY = createRequire(import.meta.url).resolve("#lab-relay");
/** The ports of loopback in a namespace, which nobody else uses. */
const PORTS = { model: 4001, server: 4002 };
/** Milliseconds that output may still arrive in after the end. */
const GRACE = 1000;
const MAX_OUTPUT = 64 * 1024;
/** Bytes of the list of all processes with their environments. */
const MAX_LISTING = 256 * 1024 * 1024;

/** The folder of one run, with the sockets of the lab, and the home and the work of the client. */
export interface Enclosure {
  readonly folder: string;
  /** Why the client could reach more than loopback; undefined if it cannot. */
  readonly obstacle: string | undefined;
  remove(): void;
}

let obstacle: { readonly reason: string | undefined } | undefined;

/** Finds why a process cannot be kept from the network on this machine. */
export function findObstacle(): string | undefined {
  obstacle ??= { reason: tryNamespaces() };
  return obstacle.reason;
}

function tryNamespaces(): string | undefined {
  if (process.platform !== "linux") return "only Linux has network namespaces";
  const { folder, remove } = createFolder();
  const { status, stderr, error } = spawnSync("unshare", enclosed(folder, ["true"]), { encoding: "utf8" });
  remove();
  if (status === 0) return undefined;
  return `this machine does not permit namespaces: ${(error?.message ?? stderr).trim().split("\n").at(-1)}`;
}

function enclosed(folder: string, command: readonly string[]): string[] {
  return [...NAMESPACES, "sh", "-c", SETUP, "sh", folder, ...command];
}

export function createEnclosure(): Enclosure {
  return { ...createFolder(), obstacle: findObstacle() };
}

function createFolder() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "proffer-try-")));
  for (const name of ["home", "work", "tmp"]) mkdirSync(join(folder, name), { mode: 0o700 });
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  return { folder, remove };
}

/** Where the lab listens, and where the client connects to. */
export function placeOf({ folder, obstacle }: Enclosure, name: keyof typeof PORTS) {
  return obstacle === undefined
    ? { listen: { path: join(folder, name) }, port: PORTS[name] }
    : { listen: { port: 0, host: "127.0.0.1" }, port: undefined };
}

/** A command that passes its stdin and stdout to a socket of the lab. */
export function pipeTo(socket: string): readonly string[] {
  return [process.execPath, RELAY, "pipe", socket];
}

/** How a client has ended. */
export interface Ended {
  /** Absent if it was ended because its time was over. */
  readonly code?: number;
  /** The end of what it has printed. */
  readonly output: string;
}

/** Runs a client until it ends, its time is over, or the signal aborts. Then nothing of it runs any more. */
export async function runEnclosed(
  { folder, obstacle }: Enclosure,
  command: readonly string[],
  env: { readonly [name: string]: string },
  options: { readonly timeout: number; readonly signal: AbortSignal },
): Promise<Ended> {
  const ports = Object.entries(PORTS).map(([name, port]) => `${port}=${join(folder, name)}`);
  const relayed = [process.execPath, RELAY, "run", obstacle === undefined ? ports.join(",") : "", ...command];
  const [file = "", ...args] = obstacle === undefined ? ["unshare", ...enclosed(folder, relayed)] : relayed;
  const child = spawn(file, args, { cwd: join(folder, "work"), env: variables(folder, env), detached: true });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output = `${output}${text}`.slice(-MAX_OUTPUT);
    });
  }
  // The client has its own group, so that its children end with it. The pipe to the relay ends both with this process.
  const end = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // All have ended.
    }
  };
  const closed = once(child, "close").catch(() => undefined);
  const timer = setTimeout(end, options.timeout * 1000);
  options.signal.addEventListener("abort", end, { once: true });
  try {
    const [code] = (await once(child, "exit")) as [number | null];
    return { ...(code !== null && { code }), output: await settled() };
  } catch (error) {
    return { code: 127, output: (error as Error).message };
  } finally {
    clearTimeout(timer);
    options.signal.removeEventListener("abort", end);
    end();
    if (obstacle !== undefined) endRest(folder);
  }

  /** A process that the client left behind may keep its output open. */
  async function settled(): Promise<string> {
    end();
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, GRACE).unref())]);
    return output;
  }
}

/** Without a namespace, a process may have left the group. Its environment names the folder of the run. */
function endRest(folder: string): void {
  const { stdout } = spawnSync("ps", ["eww", "-A", "-o", "pid=,command="], {
    encoding: "utf8",
    maxBuffer: MAX_LISTING,
  });
  for (const line of (stdout ?? "").split("\n").filter((each) => each.includes(`HOME=${join(folder, "home")}`))) {
    try {
      process.kill(Number.parseInt(line, 10), "SIGKILL");
    } catch {
      // It has ended.
    }
  }
}

/** The environment of a client: no variable of the caller, and folders of its own. */
function variables(folder: string, more: { readonly [name: string]: string }): Record<string, string> {
  const home = join(folder, "home");
  return {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    HOME: home,
    TMPDIR: join(folder, "tmp"),
    XDG_CACHE_HOME: join(home, ".cache"),
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".local/share"),
    XDG_STATE_HOME: join(home, ".local/state"),
    LANG: "C.UTF-8",
    SHELL: "/bin/sh",
    TERM: "dumb",
    NO_COLOR: "1",
    ...more,
  };
}
