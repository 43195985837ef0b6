import type { WireLine } from "../protocol/wire.ts";
import type { Message } from "./message.ts";

type Direction = WireLine["dir"];

/** A request whose response has not arrived. */
interface Open {
  readonly n: number;
  readonly at: number;
  readonly method: string | undefined;
  readonly about: string | undefined;
  readonly asksProgress: string | number | undefined;
  /** Its response may still come, but nobody waits for it. */
  isCanceled: boolean;
}

/** What a message has to do with an earlier one. */
export type Relation = Pick<WireLine, "method" | "about" | "re" | "ms">;

/** A server that never answers, or a client that never stops, must not fill the memory. */
const MAX_OPEN = 10_000;
const MAX_STATES = 1000;
const CANCELED = "notifications/cancelled";
/** The requests during which a server may ask. */
const ASKING: ReadonlySet<string | undefined> = new Set(["tools/call", "resources/read", "prompts/get"]);

/** Relates the messages of one connection to each other: responses, progress and later rounds to their requests. */
export class Thread {
  readonly #open = { out: new Map<string, Open>(), in: new Map<string, Open>() };
  /** The line of the first round, by the state that a round has left. */
  readonly #rounds = new Map<string, number>();

  relate(dir: Direction, message: Message, n: number, at: number): Relation {
    switch (message.kind) {
      case "request":
        return this.#request(dir, message, n, at);
      case "notification":
        return this.#notification(dir, message);
      default:
        return this.#response(dir, message, at);
    }
  }

  #request(dir: Direction, message: Message, n: number, at: number): Relation {
    const { id, method, about, asksProgress, requestState } = message;
    const first = requestState === undefined ? undefined : this.#rounds.get(requestState);
    const asking = dir === "in" ? this.#asking() : undefined;
    const open = { n, at, method, about, asksProgress, isCanceled: false };
    if (id !== undefined) keep(this.#open[dir], keyOf(id), open, MAX_OPEN);
    const re = first ?? asking?.n;
    return { ...(re !== undefined && { re }) };
  }

  /** A request of the server belongs to the only call that it could be about. */
  #asking(): Open | undefined {
    const calls = [...this.#open.out.values()].filter(({ method, isCanceled }) => !isCanceled && ASKING.has(method));
    return calls.length === 1 ? calls[0] : undefined;
  }

  #notification(dir: Direction, { progressToken, requestId, method }: Message): Relation {
    const found =
      progressToken !== undefined
        ? [...this.#open[opposite(dir)].values()].find((each) => each.asksProgress === progressToken)
        : requestId !== undefined
          ? this.#open[dir].get(keyOf(requestId))
          : undefined;
    if (found === undefined) return {};
    if (method === CANCELED) found.isCanceled = true;
    const { method: _, ...related } = about(found);
    return related;
  }

  #response(dir: Direction, { id, requestState }: Message, at: number): Relation {
    if (id === undefined) return {};
    const asked = this.#open[opposite(dir)];
    const found = asked.get(keyOf(id));
    if (found === undefined) return {};
    asked.delete(keyOf(id));
    if (requestState !== undefined) keep(this.#rounds, requestState, found.n, MAX_STATES);
    return { ...about(found), ms: at - found.at };
  }
}

function about({ n, method, about }: Open): Relation {
  return { re: n, ...(method !== undefined && { method }), ...(about !== undefined && { about }) };
}

function opposite(dir: Direction): Direction {
  return dir === "in" ? "out" : "in";
}

/** 1 and "1" are different ids. */
function keyOf(id: string | number | null): string {
  return JSON.stringify(id);
}

function keep<Value>(map: Map<string, Value>, key: string, value: Value, max: number): void {
  map.set(key, value);
  if (map.size <= max) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
