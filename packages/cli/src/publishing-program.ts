import type { Command } from "commander";
import { collect, define, MODULE } from "./define-command.ts";

/** Adds the commands that bring a server to people. */
export function addPublishing(program: Command): void {
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
    .action(async (file, flags) => {
      const { pack } = await import("./commands/pack.ts");
      await pack(file, flags);
    });

  define(program, "publish", "prepare a server for the MCP registry", ["tools.ts --prepare"])
    .description(
      "Writes server.json and mcpName of package.json, checks them as the MCP registry does, and prints the commands " +
        "that publish the server. It uses no network.",
    )
    .argument("<module>", `${MODULE}, or a folder written by proffer build`)
    .option("--prepare", "write the files; without it, nothing is done")
    .option("--dry-run", "show the differences without changing the files")
    .action(async (file, flags) => {
      const { publish } = await import("./commands/publish.ts");
      await publish(file, flags);
    });

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
    .action(async (file, flags) => {
      const { links } = await import("./commands/links.ts");
      await links(file, flags);
    });
}
