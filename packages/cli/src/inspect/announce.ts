import { spawn } from "node:child_process";
import { DEFAULT_PORT, type Inspector } from "@proffer/inspector";
import { say } from "../terminal/terminal.ts";
import { text } from "../terminal/text.ts";

/** How the address of the page is announced. */
export interface Announcement {
  /** The port that the user wanted. */
  readonly port?: number | undefined;
  /** Opens the page at once. */
  readonly open?: boolean | undefined;
  /** The key `o` opens it. Not if stdin carries messages. */
  readonly keys: boolean;
}

/** Announces the address of the page on stderr. */
export function announce(
  { url, port: used }: Inspector,
  { port = DEFAULT_PORT, open = false, keys }: Announcement,
): void {
  if (port !== 0 && used !== port) say(text`Port ${port} is taken; the inspector uses ${used}.`);
  const listens = keys && process.stdin.isTTY;
  say(text`Inspector at ${url}${listens ? "  (press o to open it)" : ""}`);
  const show = () => openBrowser(url, () => say(text`No browser could be opened. Open the address yourself: ${url}`));
  if (open) show();
  if (listens) onKey((key) => key === "o" && show());
}

/** The program that opens an address in the user's browser, without a shell. */
function browserCommand(url: string): [command: string, ...args: string[]] {
  if (process.platform === "darwin") return ["open", url];
  // `start` is part of the shell.
  return process.platform === "win32" ? ["rundll32", "url.dll,FileProtocolHandler", url] : ["xdg-open", url];
}

/** Opens an address of `http` or `https` in the browser. @param failed - is called if there is no program for it. */
export function openBrowser(url: string, failed: () => void): void {
  const [command, ...args] = browserCommand(url);
  const child = spawn(command, args, { stdio: "ignore", detached: true, shell: false });
  child.once("error", failed);
  child.once("exit", (code) => {
    if (code !== 0) failed();
  });
  child.unref();
}

const CTRL_C = "\u0003";
const CTRL_Z = "\u001a";

/**
 * Calls a function for each press of a key at the terminal. A terminal passes keys on only in raw mode, in which Ctrl-C and
 * Ctrl-Z are keys too; they keep their meanings. Without a terminal nothing happens.
 */
function onKey(press: (key: string) => void): void {
  const { stdin } = process;
  if (!stdin.isTTY) return;
  const listen = () => {
    stdin.setRawMode(true);
    stdin.resume();
  };
  const restore = () => stdin.setRawMode(false);
  listen();
  // The process may end although nobody presses a key.
  stdin.unref();
  process.once("exit", restore);
  process.on("SIGCONT", listen);
  stdin.on("data", (data) => {
    for (const key of String(data)) {
      if (key === CTRL_C) process.kill(process.pid, "SIGINT");
      else if (key === CTRL_Z && process.platform !== "win32") {
        restore();
        process.kill(process.pid, "SIGTSTP");
      } else press(key);
    }
  });
}
