import { Command, Option } from "commander";
import { describeFlag, type Flag } from "proffer/flags";
import { addClientCommands, addDoctor, addInspecting, addLogins, addTrying } from "./client-program.ts";
import { serve } from "./commands/serve.ts";
import { ALL_SERVE_FLAGS, DEV_FLAGS, UPGRADE_FLAGS } from "./commands/transport-flags.ts";
import { collect, define, describedVariables, MODULE } from "./define-command.ts";
import { CLIENT_NAMES } from "./install/clients.ts";
import { whileDeriving } from "./modules/derive-module.ts";
import { ownVersion } from "./modules/packages.ts";
import { currentShell } from "./terminal/shell.ts";
import { write } from "./terminal/terminal.ts";

const EXIT_CODES = `
Exit codes:
  0    success
  1    failure; stderr has the reason
  2    wrong usage
  130  Ctrl-C`;

const NO_START = "do not start the result to check it";

/**
 * Creates the command line. Every command except `serve` is imported when it runs.
 * @param command - the words after `--`: a command that starts the server to connect to, or arguments of the server.
 */
export function createProgram(command?: readonly string[]): Command {
  const program = new Command("proffer")
    .description("Serves TypeScript applications to AI clients over the Model Context Protocol.")
    .version(ownVersion())
    .showHelpAfterError("Run proffer --help to see all commands.")
    .addHelpText("after", EXIT_CODES)
    .configureOutput({ writeOut: write, writeErr: (text) => void currentShell().stderr.write(text) })
    .exitOverride();
  addServing(program, command);
  addUpgrading(program, command);
  addBuilding(program);
  addClientCommands(program, command);
  addLogins(program);
  addInspecting(program, command);
  addTrying(program, command);
  addSetup(program);
  addDoctor(program, command);
  addPublishing(program);
  return program;
}

function addServing(program: Command, rest: readonly string[] | undefined): void {
  const serving = define(program, "serve", "serve a module over stdio or HTTP", [
    "tools.ts",
    "tools.ts --http 3000",
    "tools.ts --http --host 0.0.0.0 --allowed-host mcp.example.com",
    "tools.ts --http --mount /orders=orders.ts",
    "tools.ts -- --argument-of-the-server",
  ])
    .description(
      "Serves a module over stdin and stdout, or over HTTP. Its exported functions are tools, prompts and resources, " +
        "or its default export is a server from defineServer. TypeScript needs no build. Its output goes to stderr. " +
        "Words after -- are the arguments of the module, in process.argv.",
    )
    .argument("<module>", `${MODULE}, or a folder written by proffer build`);
  withServeFlags(serving, ALL_SERVE_FLAGS, (words) => serve(words, rest));

  const dev = define(program, "dev", "serve a module and apply edits to it", ["tools.ts --http", "tools.ts"])
    .description(
      "Serves a module and applies each edit without dropping the connection. Clients are notified of changed lists. " +
        "If an edit is broken, its errors are shown and the last good version stays active. Clients see the messages " +
        "of unexpected exceptions.",
    )
    .argument("<module>", MODULE);
  withServeFlags(dev, DEV_FLAGS, async (words) => {
    // This command needs the compiler from the start.
    const file = words.find((word) => !word.startsWith("-")) ?? "";
    const { dev } = await whileDeriving(file, () => import("./commands/dev.ts"));
    await dev(words, rest);
  });
}

/** Adds the command that serves a server of somebody else. */
function addUpgrading(program: Command, command: readonly string[] | undefined): void {
  const upgrading = define(program, "upgrade", "serve a server that somebody else wrote, on every revision", [
    "-- npx -y @modelcontextprotocol/server-memory",
    "--http 3000 --read-only -- npx -y some-server",
    "https://example.com/mcp --bearer-env API_TOKEN",
  ]).description(
    "Serves the server at a URL, or the one that the command after -- starts, to clients of every protocol revision: with " +
      "its questions, its resources also as tools, and the flags of serve.",
  );
  const usage = "[options] [url] [-- command args…]";
  withServeFlags(
    upgrading,
    UPGRADE_FLAGS,
    async (words) => {
      const { upgrade } = await import("./commands/upgrade.ts");
      await upgrade(words, command);
    },
    usage,
  );
}

function addBuilding(program: Command): void {
  define(program, "build", "write a folder that runs without a compiler", [
    "tools.ts --out dist",
    "tools.ts --out dist --asset data/words.json",
    "tools.ts --out dist --bundle",
  ])
    .description(
      "Writes a folder that runs with only the package proffer: node <dir>/index.js, with the options of serve. " +
        "The build fails on any error that check reports, on an export without a comment, and if the folder does not " +
        "start: it is started once, and only asked for its lists.",
    )
    .argument("<module>", MODULE)
    .requiredOption("--out <dir>", "the folder to write to; an earlier build in it is replaced")
    .option("--asset <path>", "copy a file or folder that the module reads at run time; repeatable", collect, [])
    .option("--bundle", "write one file, <dir>/index.mjs, that needs no other package; requires esbuild")
    .option("--docker", "also write a Dockerfile, for docker build <dir>")
    .option("--install", "check the folder with packages that npm installs into a copy of it")
    .option("--allow-undocumented", "allow exports without a documentation comment")
    .option("--no-start", NO_START)
    .addOption(describedVariables())
    .action(async (file, flags) => (await import("./commands/build.ts")).build(file, flags));

  define(program, "check", "show the tools, prompts, resources and errors of a module", ["tools.ts", "tools.ts --json"])
    .description(
      "Prints a module's tools, prompts and resources as clients see them, and all errors, also those of TypeScript.",
    )
    .argument("<module>", MODULE)
    .option("--json", "print { tools, prompts, resources, resourceTemplates, diagnostics }")
    .addOption(describedVariables())
    .action(async (file, flags) => (await import("./commands/check.ts")).check(file, flags));

  define(program, "lock", "record what callers rely on, and check changes against it", ["tools.ts", "tools.ts --check"])
    .description(
      "Writes proffer.lock.json beside a module: the names, schemas and descriptions of its tools, prompts and " +
        "resources. With --check, compares the module with the file and fails if a change breaks callers.",
    )
    .argument("<module>", MODULE)
    .option("--check", "write nothing; exit with code 1 if a change breaks callers")
    .option("--strict", "with --check: also fail if the file does not have every change")
    .option("--file <path>", "the lock file (default: proffer.lock.json beside the module)")
    .option("--json", "print { file, changes }")
    .addOption(describedVariables())
    .action(async (file, flags) => (await import("./commands/lock.ts")).lock(file, flags));
}

function addSetup(program: Command): void {
  const client = () =>
    new Option("--client <name>", "the client to configure").choices(CLIENT_NAMES).makeOptionMandatory();

  define(program, "install", "add a module to a client's configuration", ["tools.ts --client claude-code"])
    .description(
      "Adds a module to the configuration of an MCP client. The rest of the file stays unchanged, including comments. " +
        "The command shows the difference and keeps a backup of the file.",
    )
    .argument("<module>", `${MODULE}, or a folder written by proffer build`)
    .addOption(client())
    .option("--name <name>", "the name of the server in the client (default: the server's own name)")
    .option("--project", "use the configuration of the project in the current directory instead of the user's")
    .option(
      "--env <name=value>",
      "an environment variable for the server; a name alone copies its value from here; repeatable",
      collect,
      [],
    )
    .option("--replace", "replace an entry of the same name that starts another module")
    .option("--dry-run", "show the difference without changing the file")
    .action(async (file, flags) => (await import("./commands/install.ts")).install(file, flags));

  define(program, "uninstall", "remove a server from a client's configuration", [
    "tools.ts --client cursor",
    "my-server --client cursor",
  ])
    .argument("<module>", "the installed module, or its name in the client")
    .addOption(client())
    .option("--project", "use the configuration of the project in the current directory instead of the user's")
    .option("--dry-run", "show the difference without changing the file")
    .action(async (file, flags) => (await import("./commands/install.ts")).uninstall(file, flags));

  define(program, "key", "make an API key for a client", ['--name ci --scopes "orders:read orders:write"', "--json"])
    .description(
      "Prints a new API key, its SHA-256 digest, and the line to add to keys of apiKeys(). The key is not stored.",
    )
    .option("--name <id>", "the id of the caller (default: key- and the start of the digest)")
    .option("--scopes <scopes>", "the scopes of the caller; separated by spaces")
    .option("--json", "print { key, digest, caller }")
    .action(async (flags) => (await import("./commands/key.ts")).key(flags));

  define(program, "init", "create a project", ["my-server"])
    .description("Creates a project with one tool, one resource, one prompt and a test, and installs its packages.")
    .argument("[dir]", "the folder of the project; existing files are never overwritten", ".")
    .option("--no-install", "do not install packages")
    .action(async (folder, flags) => (await import("./commands/init.ts")).init(folder, flags));

  define(program, "add", "add Proffer to a project that exists", ["", "packages/api --dry-run"])
    .description(
      "Adds the packages, scripts and one file with an example to the project in a folder, and shows the differences. " +
        "What exists stays as it is.",
    )
    .argument("[dir]", "the folder with the package.json of the project", ".")
    .option("--no-install", "do not install packages")
    .option("--dry-run", "show the differences without changing the files")
    .action(async (folder, flags) => (await import("./commands/add.ts")).add(folder, flags));
}

/** Adds the commands that bring a server to people. */
function addPublishing(program: Command): void {
  define(program, "pack", "write a package that Claude Desktop installs", [
    "tools.ts",
    "tools.ts --out shop.mcpb",
    "dist",
  ])
    .description(
      "Writes a .mcpb package with the server and all packages that it imports, for Claude Desktop and other clients. " +
        "Users fill in the settings of the module when they install it. Requires esbuild, unless a built folder is packed.",
    )
    .argument("<module>", `${MODULE}, or a folder written by proffer build, with its packages installed`)
    .option("--out <file>", "the file to write; an earlier package is replaced (default: the name of the server)")
    .option("--asset <path>", "copy a file or folder that the module reads at run time; repeatable", collect, [])
    .option("--allow-undocumented", "allow exports without a documentation comment")
    .option("--no-start", NO_START)
    .addOption(describedVariables())
    .action(async (file, flags) => (await import("./commands/pack.ts")).pack(file, flags));

  define(program, "publish", "prepare a server for the MCP registry", [
    "tools.ts --prepare",
    "tools.ts --prepare --url https://shop.example.com/mcp",
  ])
    .description(
      "Writes server.json and mcpName of package.json, checks them as the MCP registry does, and prints the commands " +
        "that publish the server. It uses no network.",
    )
    .argument("<module>", `${MODULE}, or a folder written by proffer build`)
    .option("--prepare", "write the files; without it, nothing is done")
    .option("--url <url>", "the address of the server over HTTP: also written to server.json, for its server card")
    .option("--dry-run", "show the differences without changing the files")
    .action(async (file, flags) => (await import("./commands/publish.ts")).publish(file, flags));

  define(program, "links", "print install links for clients", [
    "tools.ts",
    "tools.ts --url https://shop.example.com/mcp",
  ])
    .description(
      "Prints badges for a README that install the server in Cursor, VS Code and Goose, and the configuration for other clients.",
    )
    .argument("<module>", `${MODULE}, or a folder written by proffer build`)
    .option("--url <url>", "the address of the server, if clients do not start the package from npm")
    .option("--name <name>", "the name of the server in the clients (default: the server's own name)")
    .option("--json", "print the links and the configuration as JSON")
    .action(async (file, flags) => (await import("./commands/links.ts")).links(file, flags));
}

/** Passes all words to the parser of the run-time, which built folders use too. Commander only shows the flags. */
function withServeFlags(
  command: Command,
  flags: readonly Flag[],
  act: (words: readonly string[]) => Promise<void>,
  usage = "[options] <module> [-- arguments of the server]",
): void {
  const options = flags.map((flag) => new Option(`${flag.name} ${flag.value ?? ""}`.trimEnd(), describeFlag(flag)));
  command
    .allowUnknownOption()
    .allowExcessArguments()
    .configureHelp({ visibleOptions: () => [...options, new Option("-h, --help", "display help for command")] })
    .usage(usage)
    .action(() => act(command.args));
}
