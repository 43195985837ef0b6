import type { Client } from "../../client/client.ts";
import { RemoteError } from "../../client/errors.ts";
import { isObject, type JsonObject } from "../../protocol/messages.ts";
import type {
  PromptDescription,
  ResourceDescription,
  TemplateDescription,
  ToolDescription,
} from "../../protocol/model.ts";

/** What a mounted server offers. */
export interface Offer {
  readonly tools: readonly ToolDescription[];
  readonly prompts: readonly PromptDescription[];
  readonly resources: readonly (ResourceDescription | TemplateDescription)[];
  /** The servers whose items are among them. */
  readonly contains: readonly string[];
}

/** Items of one list. A server could list any number. */
const MAX_ITEMS = 5000;
const METHOD_NOT_FOUND = -32601;
const LISTS = [
  ["tools", "tools"],
  ["prompts", "prompts"],
  ["resources", "resources"],
  ["templates", "resources"],
] as const;

/** Reads all lists of a server. */
export async function readOffer(
  client: Client,
  key: string,
  signal: AbortSignal,
  warn: (text: string) => void,
): Promise<Offer> {
  const offer = { tools: [] as never[], prompts: [] as never[], resources: [] as never[] };
  const contains = new Set<string>();
  const onRound = ({ _meta }: JsonObject) => {
    const ids = isObject(_meta) ? _meta[key] : undefined;
    if (Array.isArray(ids)) for (const id of ids.slice(0, 1000)) contains.add(String(id));
  };
  for (const [kind, member] of LISTS) {
    if (client.capabilities[member] === undefined) continue;
    const items: unknown[] = offer[member];
    for await (const page of pagesOf(client, kind, { onRound, signal }, warn)) {
      items.push(...page.slice(0, MAX_ITEMS - items.length));
      if (items.length < MAX_ITEMS) continue;
      warn(`Only the first ${MAX_ITEMS} ${kind} are offered`);
      break;
    }
  }
  return { ...offer, contains: [...contains] };
}

/** A server that has tools is of use, even if it announces a list that it does not have, or that fails. */
async function* pagesOf(
  client: Client,
  kind: (typeof LISTS)[number][0],
  options: Parameters<Client["pages"]>[1],
  warn: (text: string) => void,
) {
  try {
    yield* client.pages(kind, options) as AsyncGenerator<readonly unknown[]>;
  } catch (error) {
    if (!(error instanceof RemoteError) || (kind === "tools" && error.code !== METHOD_NOT_FOUND)) throw error;
    if (error.code !== METHOD_NOT_FOUND) warn(`The ${kind} are left out: ${error.message}`);
  }
}
