import type { Command } from "commander";
import { DEFAULT_MAX_BYTES } from "./client/limits.ts";
import { toTarget } from "./client/target.ts";
import { collect, define } from "./define-command.ts";
import { WrongUsage } from "./terminal/command-error.ts";

const TARGET =
  "a module, the URL of a server, or a recording (.jsonl); to start a server instead, end with -- command args…";

/** Adds the command that shows a server in the browser. */
export function addInspecting(program: Command, command: readonly string[] | undefined): void {
  define(program, "inspect", "show a server in the browser", [
    "tools.ts",
    "https://example.com/mcp --bearer-env API_TOKEN",
    "session.jsonl",
    "-- uvx some-server",
    "--tap -- uvx some-server",
  ])
    .description(
      "Opens a page on this machine that shows what a server offers, calls it, answers its questions and shows every " +
        "message. It works with any MCP server. Only this machine can open the page, at the address that is printed.",
    )
    .argument("[target...]", TARGET)
    .option("--port <port>", "the port of the page (default: 6280, or the next free one)")
    .option("--open", "open the page in the browser")
    .option("--header <name: value>", "a header of all requests to a URL; repeatable", collect)
    .option("--bearer-env <variable>", "send the token in this environment variable as Authorization: Bearer")
    .option("--max-bytes <bytes>", `the size of one response of the server (default: ${DEFAULT_MAX_BYTES})`)
    .option("--keep", "keep the history of a URL or a command in a file of your own, also after the end")
    .option("--tap", "run the server for the client that starts this command, and record what they say")
    .option("--record <file>", "with --tap: the file of the recording (default: a new one in .proffer/inspector)")
    .action(async (words: string[], flags) => {
      if (flags.tap) {
        if (flags.keep) throw new WrongUsage("--keep cannot be used with --tap, which records every message.");
        const { tap } = await import("./commands/tap.ts");
        return tap(words, command, flags);
      }
      if (flags.record !== undefined) throw new WrongUsage("--record needs --tap. The page exports recordings.");
      const { inspect } = await import("./commands/inspect.ts");
      await inspect(toTarget(words, command), flags);
    });
}
