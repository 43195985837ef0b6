import { RemoteError } from "proffer/testing";
import type { ServerLinks } from "../support/host.ts";
import { hasHandshake } from "../support/values.ts";
import type { Connected } from "./connected.ts";

type Connect = (revision: string) => Promise<Connected>;

/** Milliseconds for the response to a second `initialize`, which no server expects. */
const PATIENCE = 10_000;

/**
 * Finds the revisions that a server supports. `server/discover` names the stateless ones. For the others, `initialize` is
 * tried: a server that does not support a revision answers with another one.
 * @param first - the client that is connected already.
 */
export async function findRevisions(
  first: Connected,
  { revisions, spawns, clientInfo }: ServerLinks,
  connect: Connect,
): Promise<readonly string[]> {
  const { supportedVersions } = first.client.opened;
  const named = Array.isArray(supportedVersions) ? supportedVersions : [];
  const stateless = revisions.filter((revision) => !hasHandshake(revision) && named.includes(revision));
  const older = revisions.filter(hasHandshake);
  // A client may be a process: one of them tries all revisions.
  const tried = spawns ? await tryInOne(older, clientInfo, connect) : await tryEach(older, connect);
  return [...stateless, ...tried];
}

async function tryEach(revisions: readonly string[], connect: Connect): Promise<readonly string[]> {
  const found: string[] = [];
  for (const revision of revisions) {
    const connected = await connect(revision).catch(() => undefined);
    if (connected === undefined) continue;
    if (connected.revision === revision) found.push(revision);
    await connected.close();
  }
  return found;
}

async function tryInOne(
  [newest = "", ...older]: readonly string[],
  clientInfo: ServerLinks["clientInfo"],
  connect: Connect,
): Promise<readonly string[]> {
  const connected = await connect(newest).catch(() => undefined);
  if (connected === undefined) return [];
  const found = [connected.revision];
  for (const revision of older) {
    if (revision >= connected.revision) continue;
    const params = { protocolVersion: revision, capabilities: {}, clientInfo };
    const agreed = await initializeAgain(connected, params);
    // A server that refuses a second `initialize` has refused no revision. The first use tells.
    if (agreed === undefined || agreed === revision) found.push(revision);
  }
  await connected.close();
  return found;
}

async function initializeAgain({ client }: Connected, params: object): Promise<unknown> {
  try {
    const signal = AbortSignal.timeout(PATIENCE);
    const { protocolVersion } = await client.requestOnce("initialize", params, { signal });
    return protocolVersion;
  } catch (error) {
    if (error instanceof RemoteError || error instanceof DOMException) return undefined;
    throw error;
  }
}
