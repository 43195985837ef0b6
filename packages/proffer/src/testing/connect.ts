import type { Link } from "../client/link.ts";
import type { ScriptedAnswers } from "../client/options.ts";
import { type LocalOptions, openServer } from "../client/server-link.ts";
import { type Typed, withTypes } from "../client/typed.ts";
import type { Revision } from "../protocol/revisions/revision.ts";
import { REVISIONS, type Revisions } from "../protocol/revisions/table.ts";
import { type Server, stateOf } from "../server/server.ts";
import { TestClient, type TestOptions } from "./client.ts";

/** Options for `connect`. */
export interface ConnectOptions extends TestOptions, LocalOptions {}

/**
 * Connects a client to a server in the same process. Runs `onStart` of the server, and `onStop` when the last of its
 * clients is closed. @throws {Error} if `onStart` fails, or for toolsets that do not fit the items.
 *
 * @example
 * const client = await connect(server, { revision: "2025-11-25", answers: [{ name: "Ada" }] });
 * const { content } = await client.call("greet");
 * expect(content).toEqual([{ type: "text", text: "Hello, Ada!" }]);
 */
export function connect<Items>(
  server: Server<Items>,
  options?: ConnectOptions,
): Promise<TestClient & Typed<Server<Items>>>;
/**
 * @example
 * const client = await connect<typeof import("./shop.ts")>(await load(new URL("./shop.ts", import.meta.url)));
 * expect(await client.tools.order("7", 10)).toEqual({ id: "7" });
 */
export function connect<Of>(server: Server, options?: ConnectOptions): Promise<TestClient & Typed<Of>>;
export async function connect(server: Server, options: ConnectOptions = {}): Promise<TestClient & Typed<unknown>> {
  const revision = chooseRevision(options, stateOf(server).revisions);
  return withTypes(await open(await openServer(server, options), options, revision));
}

/**
 * Connects a client over your own transport.
 *
 * @example
 * const client = await connectOver((receive) => {
 *   const socket = new WebSocket(url);
 *   socket.onmessage = ({ data }) => receive(data);
 *   return { send: (text) => socket.send(text), close: () => socket.close() };
 * });
 */
export async function connectOver(link: Link, options: TestOptions = {}): Promise<TestClient> {
  return open(link, options, chooseRevision(options, REVISIONS));
}

/** The revision of the options, or else the newest. */
function chooseRevision(options: TestOptions, { get, stateless, newestHandshake }: Revisions): Revision {
  const version = options.revision ?? stateless.at(-1) ?? newestHandshake.version;
  const revision = get(version);
  if (revision === undefined) throw new Error(`Unknown protocol revision ${version}.`);
  return revision;
}

async function open(link: Link, options: TestOptions, { version, handshake }: Revision): Promise<TestClient> {
  const client = new TestClient({ link, name: "The server", revision: version, handshake }, options);
  try {
    await client.open();
    return client;
  } catch (error) {
    await client.close();
    throw error;
  }
}

/** Options for `findRepeats`. */
export interface RepeatOptions {
  /** The arguments of the tool. */
  readonly input?: object;
  readonly answers: ScriptedAnswers;
  /** Returns all side effects so far that must not happen twice, such as the calls that a spy recorded. */
  readonly effects: () => readonly unknown[];
}

/** A side effect that happened in more than one round. */
export interface Repeat {
  readonly effect: unknown;
  /** Counted from 1. */
  readonly rounds: readonly number[];
}

/**
 * Runs a tool on a revision where questions end the request, and returns each side effect that happened again when the
 * handler ran again. Put such an effect in a `ctx.step()`.
 *
 * @example
 * const charge = vi.fn();
 * const repeats = await findRepeats(server, "pay", { answers: [{ ok: true }], effects: () => charge.mock.calls });
 * expect(repeats).toEqual([]);
 * @throws {Error} if the tool fails or asks nothing: then its handler ran only once, and nothing was tested.
 */
export async function findRepeats(server: Server, tool: string, options: RepeatOptions): Promise<Repeat[]> {
  const { effects, input, answers } = options;
  const client = await connect(server, { answers });
  const rounds: string[][] = [];
  let seen = effects().length;
  try {
    const params = { name: tool, ...(input ? { arguments: input } : {}) };
    const { isError, content } = await client.request("tools/call", params, { onRound: record });
    if (isError) throw new Error(`Tool "${tool}" failed: ${JSON.stringify(content)}. Are its arguments in input?`);
    if (rounds.length < 2) throw new Error(`Tool "${tool}" asked nothing, so its handler ran only once.`);
  } finally {
    await client.close();
  }
  return findRepeated(rounds);

  function record(): void {
    const all = effects();
    rounds.push(all.slice(seen).map((effect) => JSON.stringify(effect) ?? "undefined"));
    seen = all.length;
  }
}

function findRepeated(rounds: readonly string[][]): Repeat[] {
  const seenIn = new Map<string, number[]>();
  for (const [index, effects] of rounds.entries()) {
    for (const effect of new Set(effects)) seenIn.set(effect, [...(seenIn.get(effect) ?? []), index + 1]);
  }
  const repeated = [...seenIn].filter(([, where]) => where.length > 1);
  return repeated.map(([effect, where]) => ({
    effect: effect === "undefined" ? undefined : JSON.parse(effect),
    rounds: where,
  }));
}
