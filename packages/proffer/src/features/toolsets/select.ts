import { itemsOf } from "../../server/scopes.ts";
import type { ServerState } from "../../server/server.ts";
import { UsageError } from "../../support/usage-error.ts";
import type { Choice, ChosenNames } from "./choice.ts";
import { SelectedAccess } from "./selected-access.ts";
import { Selection } from "./selection.ts";
import { checkMatches, GENERAL_NAMES, suggest, Toolsets } from "./toolsets.ts";

/**
 * Decides which items servers show from now on, by their option `toolsets` and the choice of the person who starts them.
 * @throws {UsageError} for invalid options, and for names of the choice that no server has. Then nothing has changed.
 */
export function select(servers: readonly ServerState[], choice: Choice = {}): void {
  const prepared = servers.map((server) => ({
    server,
    items: itemsOf(server),
    toolsets: new Toolsets(server.options),
  }));
  for (const { toolsets, items } of prepared) toolsets.check(items);
  const names = prepared.flatMap(({ toolsets, items }) => toolsets.names(items));
  if (choice.toolsets !== undefined) checkToolsets(choice.toolsets, new Set([...names, ...GENERAL_NAMES]));
  const items = prepared.flatMap((each) => each.items);
  for (const chosen of [choice.only, choice.except]) {
    for (const pattern of chosen?.names ?? []) checkMatches(pattern, items, `${chosen?.origin} has`);
  }
  for (const { server, toolsets } of prepared) show(server, new Selection(toolsets, choice));
}

/** Selects what the server shows by default, unless it was selected before. @throws {UsageError} for invalid options. */
export function selectOnce(server: ServerState): void {
  if (!(server.access instanceof SelectedAccess)) select([server]);
}

function checkToolsets({ names, origin }: ChosenNames, known: ReadonlySet<string>): void {
  for (const name of names) {
    if (known.has(name)) continue;
    const hint = suggest(name, known, "The toolsets are");
    throw new UsageError("bad_option", `${origin} has the unknown toolset ${JSON.stringify(name)}. ${hint}`);
  }
}

function show(server: ServerState, selection: Selection): void {
  server.access = new SelectedAccess(server.options, selection);
  server.forgetPages();
  if (server.tools.size === 0 || [...server.tools].some((tool) => selection.has(tool))) return;
  server.log({
    level: "warning",
    message: `Server "${server.info.name}" shows none of its ${server.tools.size} tools.`,
  });
}
