import type { Principal } from "../calls/client.ts";
import { crashTasks } from "../features/tasks/feature.ts";
import { REVISIONS } from "../protocol/revisions/table.ts";
import { lifespanOf } from "../server/lifespan.ts";
import { type Server, stateOf } from "../server/server.ts";
import { connectMemory } from "../transports/memory.ts";
import { TestClient } from "./client.ts";
import type { ClientOptions, Link, ScriptedAnswers } from "./options.ts";

/** Options for `connect`. */
export interface ConnectOptions extends ClientOptions {
  /** The caller, as an `authenticate` hook would return it. */
  readonly principal?: Principal;
  /** False runs `onStart` of the server with the first call, instead of before `connect` resolves. Default: true. */
  readonly start?: boolean;
}

/**
 * Connects a client to a server in the same process. Runs `onStart` of the server, and `onStop` when the last of its
 * clients is closed. @throws {Error} if `onStart` fails, or for toolsets that do not fit the items.
 *
 * @example
 * const client = await connect(server, { revision: "2025-11-25", answers: [{ name: "Ada" }] });
 * const { content } = await client.call("greet");
 * expect(content).toEqual([{ type: "text", text: "Hello, Ada!" }]);
 */
export async function connect(server: Server, options: ConnectOptions = {}): Promise<TestClient> {
  const state = stateOf(server);
  await state.features.loading;
  const lifespan = lifespanOf(state);
  const release = lifespan?.open();
  const link: Link = (receive) => {
    let connection = connectMemory(server, receive, options);
    return {
      send: (text) => connection.send(text),
      close: async () => {
        connection.close();
        await release?.();
      },
      crash: async () => {
        connection.close();
        await crashTasks(state);
        connection = connectMemory(server, receive, options);
      },
    };
  };
  try {
    if (options.start !== false) await lifespan?.start();
    return await open(link, options, (version) => state.revisions.get(version)?.handshake);
  } catch (error) {
    await release?.();
    throw error;
  }
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
export function connectOver(link: Link, options: ClientOptions = {}): Promise<TestClient> {
  return open(link, options, (version) => REVISIONS.get(version)?.handshake);
}

async function open(
  link: Link,
  options: ClientOptions,
  handshakeOf: (version: string) => boolean | undefined,
): Promise<TestClient> {
  const revision = options.revision ?? REVISIONS.stateless.at(-1) ?? REVISIONS.newestHandshake.version;
  const handshake = handshakeOf(revision);
  if (handshake === undefined) throw new Error(`Unknown protocol revision ${revision}.`);
  const client = new TestClient(link, handshake, { ...options, revision });
  await client.open();
  return client;
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
