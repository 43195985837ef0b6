import { CLIENT_NAMES, type ClientName } from "../../install/client-names.ts";
import { CLIENTS } from "../../install/clients.ts";
import { EDITS } from "../../install/config-file.ts";
import { toLaunch } from "../../install/launch.ts";
import { toServerName } from "../../modules/packages.ts";
import { CommandError } from "../../terminal/command-error.ts";
import type { Copied, CopySource } from "./copy-source.ts";

/** The entries of clients that connect to an address. */
const BY_ADDRESS: { readonly [Name in ClientName]?: (url: string) => object } = {
  "claude-code": (url) => ({ type: "http", url }),
  vscode: (url) => ({ type: "http", url }),
  cursor: (url) => ({ url }),
};

/** Writes the configuration of a client that uses the server. @throws {CommandError} if the client cannot. */
export function asConfig({ target, serverName }: CopySource, client = ""): Copied {
  if (!isClientName(client)) {
    throw new CommandError(`Unknown client ${JSON.stringify(client)}. Use one of ${CLIENT_NAMES.join(", ")}.`);
  }
  const { title, format, section, toEntry } = CLIENTS[client];
  const name = toServerName(serverName) || "server";
  if (target.kind === "url") {
    const entry = BY_ADDRESS[client]?.(target.url);
    if (entry === undefined) throw new CommandError(`${title} is configured with a command here, not with an address.`);
    return { text: EDITS[format].write("", section, name, entry), language: format };
  }
  const [command = "", ...args] = target.kind === "command" ? target.command : [];
  const launch = target.kind === "module" ? toLaunch(target.file, false, {}) : { command, args, env: {} };
  return { text: EDITS[format].write("", section, name, toEntry(launch, name)), language: format };
}

function isClientName(name: string): name is ClientName {
  return (CLIENT_NAMES as readonly string[]).includes(name);
}
