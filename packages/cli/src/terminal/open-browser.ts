import { spawn } from "node:child_process";

/** The program that opens an address in the user's browser, without a shell. */
function browserCommand(url: string, platform: NodeJS.Platform): [command: string, ...args: string[]] {
  if (platform === "darwin") return ["open", url];
  // `start` is part of the shell.
  return platform === "win32" ? ["rundll32", "url.dll,FileProtocolHandler", url] : ["xdg-open", url];
}

/** Opens an address in the browser. @param failed - is called if there is no program for it. */
export function openBrowser(url: string, failed: () => void, platform = process.platform): void {
  const [command, ...args] = browserCommand(url, platform);
  const child = spawn(command, args, { stdio: "ignore", detached: true, shell: false });
  child.once("error", failed);
  child.once("exit", (code) => {
    if (code !== 0) failed();
  });
  child.unref();
}
