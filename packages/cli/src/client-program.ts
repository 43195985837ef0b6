import type { Command } from "commander";
import { toTarget } from "./client/arguments.ts";
import { DEFAULT_MAX_BYTES, DEFAULT_TIMEOUT } from "./client/limits.ts";
import { collect, define, describedVariables, withChoiceFlags } from "./define-command.ts";
import { WrongUsage } from "./terminal/command-error.ts";

const TARGET = "a module or the URL of a server; to start a server instead, end with -- command args…";

const INSPECTED =
  "a module, the URL of a server, or a recording (.jsonl); to start a server instead, end with -- command args…";

/** Adds the commands that talk to a server in the terminal. */
export function addClientCommands(program: Command, command: readonly string[] | undefined): void {
  const list = define(program, "list", "list the tools, prompts and resources of a server", [
    "tools.ts",
    "http://localhost:3000/mcp --json",
    "https://example.com/mcp --bearer-env API_TOKEN",
    "tools.ts --as codex",
    "tools.ts --toolsets orders --read-only",
  ]);
  withClientOptions(list)
    .option("--as <client>", "show the lists as the model of this client sees them, such as codex")
    .argument("[target...]", TARGET)
    .action(async (words: string[], flags) =>
      (await import("./commands/call.ts")).list(toTarget(words, command), flags),
    );

  const call = define(program, "call", "call a tool", [
    "tools.ts factorial --arg n=20",
    'http://localhost:3000/mcp add --input \'{"a":1,"b":2}\'',
    "shop.ts cancel --arg id=7 --answer sure=true",
    "add --arg a=1 --arg b=2 -- node other-server.js",
  ]);
  withAnswers(withClientOptions(call))
    .argument("<words...>", `${TARGET.replace(";", ", then the name of the tool;")}`)
    .option(
      "--arg <name=value>",
      "an argument: a string, or JSON if the tool expects another type; repeatable",
      collect,
      [],
    )
    .option("--input <json>", "all arguments as a JSON object, or - to read it from stdin")
    .option("--saved <name>", "run a call that was saved in the inspector; no tool is named then")
    .action(async (words: string[], flags) => {
      if (flags.saved !== undefined) {
        const { callSaved } = await import("./commands/replay.ts");
        return callSaved(toTarget(words, command), flags);
      }
      const { call } = await import("./commands/call.ts");
      await call(toTarget(words, command, ["tool"]), flags);
    });

  const read = define(program, "read", "read a resource", ["tools.ts orders://17", "http://localhost:3000/mcp a://b"]);
  withAnswers(withClientOptions(read))
    .argument("<words...>", `${TARGET.replace(";", ", then the URI of the resource;")}`)
    .action(async (words: string[], flags) =>
      (await import("./commands/call.ts")).read(toTarget(words, command, ["uri"]), flags),
    );

  const prompt = define(program, "prompt", "get a prompt", ["tools.ts codeReview --arg code='let x'"]);
  withAnswers(withClientOptions(prompt))
    .argument("<words...>", `${TARGET.replace(";", ", then the name of the prompt;")}`)
    .option("--arg <name=value>", "an argument; repeatable", collect, [])
    .action(async (words: string[], flags) =>
      (await import("./commands/call.ts")).prompt(toTarget(words, command, ["prompt"]), flags),
    );

  const types = define(program, "types", "write the TypeScript interface of a server, for typed clients", [
    "https://example.com/mcp --out example.d.ts",
    "https://example.com/mcp --out example.d.ts --check",
    "--out files.d.ts --name Files -- npx files-mcp .",
  ]);
  withClientOptions(types)
    .description(
      "Writes an interface with the tools, prompts and resources of a server, by their schemas. connect() of " +
        "proffer/client takes it: connect<Example>(url).",
    )
    .argument("[target...]", TARGET)
    .option("--out <file>", "the file to write (default: stdout); only a file of this command is replaced")
    .option("--name <name>", "the name of the interface (default: that of the server)")
    .option("--check", "show what changed, and exit with code 1 if the file is not up to date")
    .action(async (words: string[], flags) =>
      (await import("./commands/types.ts")).types(toTarget(words, command), flags),
    );

  const replay = define(program, "replay", "make the calls of a recording again and show the differences", [
    "session.jsonl tools.ts",
    "session.jsonl http://localhost:3000/mcp --revision 2025-06-18",
    "session.jsonl --effects -- node other-server.js",
  ]);
  withClientOptions(replay)
    .description(
      "Makes the calls of a recording again, with the answers that were given, and exits with code 1 if a result differs. " +
        "Ids, states, cursors, sessions and times are made anew and not compared.",
    )
    .argument("<words...>", `a recording of the inspector, then ${TARGET}`)
    .option("--effects", "also call the tools that are not marked as read-only")
    .action(async ([file = "", ...words]: string[], flags) =>
      (await import("./commands/replay.ts")).replay(file, toTarget(words, command), flags),
    );
}

/** Adds the command that examines a server. */
export function addDoctor(program: Command, command: readonly string[] | undefined): void {
  const doctor = define(program, "doctor", "find common problems of a server", [
    "tools.ts",
    "tools.ts --client codex,cursor",
    "https://example.com/mcp --bearer-env API_TOKEN",
    "-- uvx some-server",
  ]);
  withLimits(withHeaders(withChoiceFlags(doctor)))
    .description(
      "Starts a server like a client would, looks for common problems and suggests a fix for each. A module is also " +
        "examined in its code.",
    )
    .argument("[target...]", TARGET)
    .option("--client <names>", "show all that these clients would refuse or lose; separated by commas")
    .option("--json", "print the findings as JSON")
    .addOption(describedVariables())
    .action(async (words: string[], flags) =>
      (await import("./commands/doctor.ts")).doctor(toTarget(words, command), flags),
    );
}

/** Adds the commands for credentials of servers. */
export function addLogins(program: Command): void {
  define(program, "login", "log in to a server, for the other commands", [
    "https://example.com/mcp",
    "https://example.com/mcp --scope orders:read --no-open",
  ])
    .description(
      "Opens the page of the server's authorization server in the browser, and keeps the credentials in a file that only " +
        "you can read. All commands that talk to the URL of a server use them.",
    )
    .argument("<url>", "the URL of the server")
    .option("--scope <scope>", "a scope to ask for; repeatable (default: those that the server names)", collect)
    .option("--issuer <url>", "the only authorization server to use (default: the one that the server prefers)")
    .option("--client-id <id>", "the client, if the authorization server knows it (default: it is registered)")
    .option("--client-secret-env <variable>", "the environment variable with the secret of the client")
    .option("--client-metadata <url>", "the URL of a document about the client, which is its id")
    .option("--no-open", "only print the address of the page")
    .action(async (url: string, flags) =>
      (await import("./commands/login.ts")).login(toTarget([url], undefined), flags),
    );

  define(program, "logout", "forget the credentials of a server, and revoke them", ["https://example.com/mcp"])
    .argument("<url>", "the URL of the server")
    .action(async (url: string) => (await import("./commands/login.ts")).logout(toTarget([url], undefined)));
}

/** Adds the command that starts real clients. */
export function addTrying(program: Command, command: readonly string[] | undefined): void {
  const trying = define(program, "try", "see what the model sees in real clients", [
    `shop.ts --with claude-code,codex --call 'cancel {"id":"7"}' --answer sure=true`,
    "http://localhost:3000/mcp --with gemini-cli --bearer-env API_TOKEN",
    "--with opencode --json -- node server.js",
  ]);
  withAnswers(withHeaders(trying))
    .description(
      "Starts Claude Code, Codex, Gemini CLI or opencode with a scripted model on this machine, and reports what " +
        "reached the model and the server. Without a model, a key or a network. The clients are downloaded from npm " +
        "the first time. Exits with code 1 if a call did not reach the server, or its result not the model.",
    )
    .argument("[target...]", TARGET)
    .requiredOption("--with <clients>", "the clients: claude-code, codex, gemini-cli, opencode; separated by commas")
    .option(
      "--call <tool arguments>",
      "a call of the model: a tool and a JSON object; repeatable, in this order",
      collect,
    )
    .option("--accept-terms", "accept the terms of the clients, which are downloaded")
    .option("--allow-network", "start the clients where they cannot be kept from the network")
    .option("--json", "print everything that reached the model as JSON")
    .option("--timeout <seconds>", "the time for each client (default: 120)")
    .action(async (words: string[], flags) => {
      const { tryClients } = await import("./commands/try.ts");
      await tryClients(toTarget(words, command), flags);
    });
}

/** Adds the command that shows a server in the browser. */
export function addInspecting(program: Command, command: readonly string[] | undefined): void {
  const inspect = define(program, "inspect", "show a server in the browser", [
    "tools.ts",
    "https://example.com/mcp --bearer-env API_TOKEN",
    "session.jsonl",
    "-- uvx some-server",
    "--tap -- uvx some-server",
  ]);
  withHeaders(inspect)
    .description(
      "Opens a page on this machine that shows the lists of a server, calls it, answers its questions and shows every " +
        "message. It works with any MCP server. Only this machine can open the page, at the address that is printed.",
    )
    .argument("[target...]", INSPECTED)
    .option("--port <port>", "the port of the page (default: 6280, or the next free one)")
    .option("--open", "open the page in the browser")
    .option("--max-bytes <bytes>", `the size of one response of the server (default: ${DEFAULT_MAX_BYTES})`)
    .option("--keep", "keep the history of a URL or a command in a private file, also after the end")
    .option("--tap", "run the server for the client that starts this command, and record their messages")
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

function withHeaders(command: Command): Command {
  return command
    .option("--header <name: value>", "a header of all requests to a URL; repeatable", collect)
    .option("--bearer-env <variable>", "send the token in this environment variable as Authorization: Bearer");
}

function withLimits(command: Command): Command {
  return command
    .option("--timeout <seconds>", `the time for the server's responses; 0 for no limit (default: ${DEFAULT_TIMEOUT})`)
    .option("--max-bytes <bytes>", `the size of all messages from the server (default: ${DEFAULT_MAX_BYTES})`);
}

function withClientOptions(command: Command): Command {
  withHeaders(withChoiceFlags(command))
    .option("--revision <date>", "the protocol revision (default: the newest that the server supports)")
    .option("--json", "print the raw result");
  return withLimits(command);
}

function withAnswers(command: Command): Command {
  return command
    .option("--answer <name=value>", "a value for a question; repeatable, in the order of the questions", collect)
    .option("--accept", "accept questions without a value, with their defaults")
    .option("--decline", "decline questions")
    .option("--root <folder>", "a folder that the server may work with; repeatable (default: none)", collect);
}
