import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("./main.mjs", import.meta.url));

/** Starts the attackers; returns a function that stops them and resolves to their counts. */
export function startAttackers(options) {
  const child = fork(program, [JSON.stringify(options)], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const counts = once(child, "message").then(([message]) => message);
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`The attackers ended with exit code ${code}.`);
  });
  // Ends before `stop` is called are reported by it.
  ended.catch(() => {});
  return async function stop() {
    if (child.connected) child.send("stop");
    return Promise.race([counts, ended]);
  };
}
