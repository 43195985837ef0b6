import type { Server } from "../server/server.ts";
import type { ScriptedAnswers } from "./answers.ts";
import { connect } from "./connect.ts";

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
 */
export async function findRepeats(server: Server, tool: string, options: RepeatOptions): Promise<Repeat[]> {
  const { effects, input, answers } = options;
  const client = await connect(server, { answers });
  const rounds: string[][] = [];
  let seen = effects().length;
  try {
    await client.request("tools/call", { name: tool, ...(input ? { arguments: input } : {}) }, { onRound: record });
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
