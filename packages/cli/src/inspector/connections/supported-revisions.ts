import { RemoteError } from "proffer/testing";
import { HANDSHAKE_REVISIONS, STATELESS_REVISIONS } from "../../client/revisions.ts";
import { ownVersion } from "../../modules/packages.ts";
import { CLIENT_NAME, type Connected } from "./connected.ts";

/** Milliseconds for the response to a second `initialize`, which no server expects. */
const PATIENCE = 10_000;

/**
 * Finds the revisions that a server supports. `server/discover` names the stateless ones. For the others, `initialize` is
 * tried: a server that does not support a revision answers with another one.
 * @param first - the client that is connected already.
 * @param spawns - a client is a process: one of them tries all revisions.
 */
export async function findRevisions(
  first: Connected,
  spawns: boolean,
  connect: (revision: string) => Promise<Connected>,
): Promise<readonly string[]> {
  const { supportedVersions } = first.client.opened;
  const named = Array.isArray(supportedVersions) ? supportedVersions : [];
  const stateless = STATELESS_REVISIONS.filter((revision) => named.includes(revision));
  const tried = spawns ? await tryInOne(connect) : await tryEach(connect);
  return [...stateless, ...tried];
}

async function tryEach(connect: (revision: string) => Promise<Connected>): Promise<readonly string[]> {
  const found: string[] = [];
  for (const revision of HANDSHAKE_REVISIONS) {
    const connected = await connect(revision).catch(() => undefined);
    if (connected === undefined) continue;
    if (connected.revision === revision) found.push(revision);
    await connected.close();
  }
  return found;
}

async function tryInOne(connect: (revision: string) => Promise<Connected>): Promise<readonly string[]> {
  const [newest = "", ...older] = HANDSHAKE_REVISIONS;
  const connected = await connect(newest).catch(() => undefined);
  if (connected === undefined) return [];
  const found = [connected.revision];
  for (const revision of older) {
    if (revision >= connected.revision) continue;
    const agreed = await initializeAgain(connected, revision);
    // A server that refuses a second `initialize` has refused no revision. The first use tells.
    if (agreed === undefined || agreed === revision) found.push(revision);
  }
  await connected.close();
  return found;
}

async function initializeAgain({ client }: Connected, revision: string): Promise<unknown> {
  const clientInfo = { name: CLIENT_NAME, version: ownVersion() };
  const params = { protocolVersion: revision, capabilities: {}, clientInfo };
  try {
    const signal = AbortSignal.timeout(PATIENCE);
    const { protocolVersion } = await client.requestOnce("initialize", params, { signal });
    return protocolVersion;
  } catch (error) {
    if (error instanceof RemoteError || error instanceof DOMException) return undefined;
    throw error;
  }
}
