import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { stripVTControlCharacters } from "node:util";

/** util-linux `script` runs a command in a pseudo-terminal; on other systems it has different options. */
export const hasTerminal =
  spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux") ?? false;
if (!hasTerminal) console.warn("Terminals are NOT tested: script(1) of util-linux is not installed.");

/** Simulates a user of a pseudo-terminal: waits for a text after the previous one, then types. */
export class Person {
  readonly #terminal: ChildProcess;
  #shown = "";
  #seen = 0;
  #waiting = () => {};

  /** @param size - the size of the terminal in the words of stty; without a window it would have none. */
  constructor(folder: string, command: string, size = "cols 100 rows 40") {
    // Ctrl-C also reaches a shell that waits for the command, and
    // whether that shell then reports the command's exit code or its own depends on which of the two is faster.
    const line = `stty ${size} && exec ${command}`;
    this.#terminal = spawn("script", ["-qec", line, "/dev/null"], { cwd: folder });
    this.#terminal.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#shown += text;
      this.#waiting();
    });
  }

  async types(keys: string, after: string): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#waiting = () => {
        const at = stripVTControlCharacters(this.#shown).indexOf(after, this.#seen);
        if (at === -1) return;
        this.#seen = at + after.length;
        resolve();
      };
      this.#waiting();
    });
    this.#terminal.stdin?.write(keys);
  }

  /** Waits for the command to exit, and returns its whole output and its exit code. */
  async sees(): Promise<{ raw: string; text: string; status: number }> {
    const [status] = await once(this.#terminal, "close");
    return { raw: this.#shown, text: stripVTControlCharacters(this.#shown), status };
  }
}
