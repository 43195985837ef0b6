import type { Connections } from "../connections/connections.ts";
import { readOffer } from "../connections/offer.ts";
import type { ClientView, ModelView } from "../protocol/api.ts";
import type { Item, Offer } from "../protocol/offer.ts";
import type { Lane } from "../protocol/wire.ts";
import { ApiProblem } from "../support/api-problem.ts";
import type { ClientProfile, ClientProfiles } from "../support/host.ts";

/**
 * Asks the server what a watched client gets: on its revision, under its name and with its capabilities, because a server
 * may adapt its lists to them. Then cuts what the profile of the client says that it cuts. @throws {ApiProblem}
 */
export async function viewOfClient(
  connections: Connections,
  profiles: ClientProfiles,
  lane: Lane,
): Promise<ClientView> {
  const { name, version = "", capabilities = {}, revision = connections.revisions[0] ?? "" } = lane;
  const connected = await connections.open({
    revision,
    purpose: `as ${name}`,
    as: { info: { name, version }, capabilities },
  });
  try {
    const offer = await readOffer(connected, 0);
    const profile = profiles.find({ name, version });
    const items = profile === undefined ? offer.items.map((item) => whole(item, name)) : cut(offer, profile);
    return {
      revision,
      ...(profile && { profile: profile.title }),
      capabilities,
      items,
      tokens: items.reduce((sum, { kind, tokens = 0 }) => sum + (kind === "tool" ? tokens : 0), 0),
      problems: offer.problems,
    };
  } finally {
    await connected.close();
  }
}

/** Returns the lane of a watched client. @throws {ApiProblem} */
export function clientLane(lanes: Iterable<Lane>, conn: string): Lane {
  for (const lane of lanes) if (lane.conn === conn && lane.role === "client") return lane;
  throw new ApiProblem(404, "unknown_client", "The inspector does not know this client, or not any more.");
}

type Seen = ClientView["items"][number];

function cut(offer: Offer, { title, readsResources, viewTools }: ClientProfile): Seen[] {
  const tools = viewTools(offer);
  const unread = !readsResources ? [`The model of ${title} cannot read resources by itself`] : [];
  return offer.items.map((item) => {
    const { kind, key } = item;
    if (kind === "tool") return { kind, key, ...(tools.get(key) as ModelView) };
    return { ...whole(item, title), losses: kind === "prompt" ? [] : unread };
  });
}

/** An item of which nothing is cut. */
function whole({ kind, key, description, tokens }: Item, client: string): Seen {
  return { kind, key, client, declaration: description, losses: [], ...(tokens !== undefined && { tokens }) };
}
