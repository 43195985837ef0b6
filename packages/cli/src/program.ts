import { Command, Option } from "commander";
import { guardStdout } from "proffer/stdio";
import { toTarget } from "./client/target.ts";
import { serve } from "./commands/serve.ts";
import { CLIENT_NAMES } from "./install/client-names.ts";
import { ownVersion } from "./modules/own-version.ts";

const EXIT_CODES = `
Exit codes:
  0  success
  1  the command failed; the reason is on stderr
  2  wrong usage`;

const MODULE = "a .ts, .mts, .js or .mjs file";
const TARGET = "a module, or the URL of a server; a command goes last: -- command args…";

/**
 * The whole command line. What a command does, `serve` excepted, is imported when it is called.
 * @param command - what followed `--`: the server to start, for those that talk to one.
 */
export function createProgram(command?: readonly string[]): Command {
  const program = new Command("proffer")
    .description("Makes TypeScript applications available to AI clients over the Model Context Protocol.")
    .version(ownVersion())
    .showHelpAfterError("Run proffer --help for the commands.")
    .addHelpText("after", EXIT_CODES)
    .configureOutput({ writeOut: (text) => void guardStdout().write(text) })
    .exitOverride();
  addServing(program);
  addBuilding(program);
  addTalking(program, command);
  addSetup(program);
  return program;
}

function addServing(program: Command): void {
  const serving = define(program, "serve", "serve a module over stdio or HTTP", [
    "tools.ts",
    "tools.ts --http 3000",
    "tools.ts --http --mount /orders=orders.ts",
  ])
    .description(
      "Serves a module over stdin and stdout, or over HTTP. Its exported functions are tools, prompts and resources,\n" +
        "or its default export is a server made by defineServer. TypeScript needs no build. What it prints goes to stderr.",
    )
    .argument("<module>", `${MODULE}, or a folder written by proffer build`);
  withTransport(serving)
    .option("--mount <path=module>", "another module, at a path of its own on the same port", collect, [])
    .action((file, flags) => serve(file, flags));

  const dev = define(program, "dev", "serve a module and follow its edits", ["tools.ts --http", "tools.ts"])
    .description(
      "Serves a module and takes over each edit without dropping the connection: clients are told what changed.\n" +
        "An edit that is broken is shown, and the last good version goes on. Errors of tools are shown to the client.",
    )
    .argument("<module>", MODULE);
  withTransport(dev).action(async (file, flags) => {
    const { dev } = await import("./commands/dev.ts");
    await dev(file, flags);
  });
}

function addBuilding(program: Command): void {
  define(program, "build", "write a folder that runs without a compiler", ["tools.ts --out dist"])
    .description(
      "Writes a folder that runs with the package proffer alone: node <dir>/index.js [--http [port]].\n" +
        "Whatever check complains about as an error stops it, and so does an export without a comment.",
    )
    .argument("<module>", MODULE)
    .requiredOption("--out <dir>", "where to write; an earlier build there is replaced")
    .option("--allow-undocumented", "build although an export has no documentation comment")
    .action(async (file, flags) => {
      const { build } = await import("./commands/build.ts");
      await build(file, flags);
    });

  define(program, "check", "show what a module offers, and what is wrong with it", ["tools.ts", "tools.ts --json"])
    .description("Derives a module and prints what clients would see of it. TypeScript's own errors are shown, too.")
    .argument("<module>", MODULE)
    .option("--json", "print { tools, prompts, resources, resourceTemplates, diagnostics }")
    .action(async (file, flags) => {
      const { check } = await import("./commands/check.ts");
      await check(file, flags);
    });
}

function addTalking(program: Command, command: readonly string[] | undefined): void {
  const list = define(program, "list", "show what a server has", ["tools.ts", "http://localhost:3000/mcp --json"]);
  talking(list)
    .argument("[target...]", TARGET)
    .action(async (words: string[], flags) => {
      const { list } = await import("./commands/list.ts");
      await list(toTarget(words, command, 0), flags);
    });

  const call = define(program, "call", "call a tool", [
    "tools.ts factorial --arg n=20",
    'http://localhost:3000/mcp add --input \'{"a":1,"b":2}\'',
    "add --arg a=1 --arg b=2 -- node other-server.js",
  ]);
  talking(call)
    .argument("<words...>", `${TARGET.replace(";", ", and the tool;")}`)
    .option("--arg <name=value>", "an argument: text, or JSON where the tool wants something else", collect, [])
    .option("--input <json>", "all arguments as a JSON object; - reads it from stdin")
    .action(async (words: string[], flags) => {
      const { call } = await import("./commands/call.ts");
      await call(toTarget(words, command, 1), flags);
    });

  const read = define(program, "read", "read a resource", ["tools.ts orders://17", "http://localhost:3000/mcp a://b"]);
  talking(read)
    .argument("<words...>", `${TARGET.replace(";", ", and the uri;")}`)
    .action(async (words: string[], flags) => {
      const { read } = await import("./commands/read.ts");
      await read(toTarget(words, command, 1), flags);
    });

  const prompt = define(program, "prompt", "get a prompt", ["tools.ts codeReview --arg code='let x'"]);
  talking(prompt)
    .argument("<words...>", `${TARGET.replace(";", ", and the prompt;")}`)
    .option("--arg <name=value>", "an argument", collect, [])
    .action(async (words: string[], flags) => {
      const { prompt } = await import("./commands/prompt.ts");
      await prompt(toTarget(words, command, 1), flags);
    });
}

function addSetup(program: Command): void {
  const client = () => new Option("--client <name>", "whose configuration").choices(CLIENT_NAMES).makeOptionMandatory();

  define(program, "install", "add a module to the configuration of a client", ["tools.ts --client claude-code"])
    .description(
      "Adds a module to the configuration of an MCP client. Everything else in the file stays as it is, comments too;\n" +
        "the file is backed up and the difference is shown.",
    )
    .argument("<module>", `${MODULE}, or a folder written by proffer build`)
    .addOption(client())
    .option("--name <name>", "what the client shall call the server (default: the server's own name)")
    .option("--project", "the configuration of the project in the current directory instead of the user's")
    .option("--env <name=value>", "a variable of the server's environment", collect, [])
    .option("--dry-run", "show the difference and change nothing")
    .action(async (file, flags) => {
      const { install } = await import("./commands/install.ts");
      await install(file, flags);
    });

  define(program, "uninstall", "remove a server from the configuration of a client", [
    "tools.ts --client cursor",
    "my-server --client cursor",
  ])
    .argument("<module>", "the module that was installed, or the name that the client knows it by")
    .addOption(client())
    .option("--project", "the configuration of the project in the current directory instead of the user's")
    .option("--dry-run", "show the difference and change nothing")
    .action(async (file, flags) => {
      const { uninstall } = await import("./commands/uninstall.ts");
      await uninstall(file, flags);
    });

  define(program, "doctor", "look for what breaks servers in practice", ["tools.ts"])
    .description("Starts a module as a client would, looks for what breaks real servers and says what to do about it.")
    .argument("<module>", `${MODULE}, or a folder written by proffer build`)
    .option("--json", "print the findings as JSON")
    .action(async (file, flags) => {
      const { doctor } = await import("./commands/doctor.ts");
      await doctor(file, flags);
    });

  define(program, "init", "write a new project", ["my-server"])
    .description("Writes a project with one tool, one resource, one prompt and a test, and installs its packages.")
    .argument("[dir]", "where; a file that exists is never overwritten", ".")
    .option("--no-install", "do not install packages")
    .action(async (folder, flags) => {
      const { init } = await import("./commands/init.ts");
      await init(folder, flags);
    });
}

function define(program: Command, name: string, summary: string, examples: readonly string[]): Command {
  const lines = examples.map((example) => `  proffer ${name} ${example}`);
  return program
    .command(name)
    .summary(summary)
    .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`)
    .showHelpAfterError(`Example: proffer ${name} ${examples[0]}`)
    .addHelpText("after", `\nExamples:\n${lines.join("\n")}`);
}

function withTransport(command: Command): Command {
  return command
    .option("--http [port]", "serve over HTTP (default port: that of the variable PORT, or 3000; 0 takes any free one)")
    .option("--port <port>", "the same as --http <port>")
    .option("--host <host>", "the address to listen on (default: 127.0.0.1)")
    .option("--path <path>", "where over HTTP (default: /mcp)")
    .option("--stdio", "serve over stdio, too, if there is --http");
}

function talking(command: Command): Command {
  return command
    .option("--revision <date>", "the protocol revision to speak (default: the newest that the server knows)")
    .option("--json", "print the raw result");
}

function collect(value: string, earlier: readonly string[]): string[] {
  return [...earlier, value];
}
