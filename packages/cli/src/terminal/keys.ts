const CTRL_C = "\u0003";
const CTRL_Z = "\u001a";

/**
 * Calls a function for each press of a key at the terminal. A terminal passes keys on only in raw mode, in which Ctrl-C and
 * Ctrl-Z are keys too; they keep their meanings. Without a terminal nothing happens.
 */
export function onKey(press: (key: string) => void): void {
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
