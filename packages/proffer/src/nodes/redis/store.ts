import { randomText } from "../../support/bytes.ts";
import type { LogLimits, RecordChange, RecordChanged, RecordFields, SharedStore, StoredEntry } from "../ports.ts";
import type { Commands } from "./commands.ts";
import { APPEND, CHANGE, COUNT, READ, SINCE } from "./scripts.ts";

/** Milliseconds that a replica has to confirm a change. */
const REPLICATION_TIME = 500;

/** A time that Redis accepts: a whole number, up to about 3,000 years. */
function milliseconds(time: number, least: number): string {
  return String(Math.min(Math.max(Math.ceil(time), least), 1e14));
}

/** A shared store in Redis. */
export class RedisStore implements SharedStore {
  readonly timeLimit: number;
  readonly #commands: Commands;
  /** Sends changes that a replica must confirm: its own connection, because WAIT blocks a connection. */
  readonly #replicated: (() => Commands) | undefined;
  readonly #prefix: string;
  readonly #token = randomText(9);
  #claims = 0;

  constructor(
    commands: Commands,
    { prefix, commandTimeout }: { readonly prefix: string; readonly commandTimeout: number },
    replicated: (() => Commands) | undefined,
  ) {
    this.#commands = commands;
    this.#prefix = prefix;
    this.timeLimit = commandTimeout;
    this.#replicated = replicated;
  }

  async claim(key: string, time: number): Promise<boolean> {
    // A library that sends the command again after a lost connection sees its own token: without it, a claim whose reply
    // was lost would be refused to its only caller.
    const token = `${this.#token}.${++this.#claims}`;
    const name = `${this.#prefix}:c:${key}`;
    const args = ["SET", name, token, "NX", "PX", milliseconds(time, 1), "GET"];
    const earlier = await this.#commands.run(name, args);
    return earlier === null || earlier === undefined || String(earlier) === token;
  }

  async count(key: string, time: number): Promise<number> {
    return Number(await this.#commands.script(COUNT, `${this.#prefix}:n:${key}`, [milliseconds(time, 1)]));
  }

  async read(key: string, names?: readonly string[]): Promise<RecordFields | undefined> {
    const name = this.#record(key);
    if (names === undefined) {
      const fields = fieldsOf(await this.#commands.script(READ, name, []));
      // Redis removes a record with its last field.
      return Object.keys(fields).length === 0 ? undefined : fields;
    }
    if (names.length === 0) return Number(await this.#commands.run(name, ["EXISTS", name])) === 1 ? {} : undefined;
    const values = await this.#commands.script(READ, name, names);
    return Array.isArray(values) ? namedFields(names, values) : undefined;
  }

  async change(key: string, change: RecordChange): Promise<RecordChanged> {
    const args = changeArguments(change);
    const name = this.#record(key);
    const reply = await (change.durable && this.#replicated !== undefined
      ? this.#replicated().replicatedScript(CHANGE, name, args, REPLICATION_TIME)
      : this.#commands.script(CHANGE, name, args));
    const [made, values] = reply as [unknown, unknown[] | undefined];
    if (values === undefined) throw notWhole(String(made));
    const { returning } = change;
    return { made: Number(made) === 1, fields: returning ? namedFields(returning, values) : fieldsOf(values) };
  }

  async remove(key: string): Promise<void> {
    const name = this.#record(key);
    await this.#commands.run(name, ["DEL", name]);
  }

  async append(log: string, entries: readonly StoredEntry[], limits: LogLimits): Promise<void> {
    if (entries.length === 0) return;
    const places = entries.flatMap(({ place, text }) => [String(place), text]);
    const { entries: most, bytes } = limits;
    const args = [String(most), String(bytes), milliseconds(limits.milliseconds, 0), ...places];
    await this.#commands.script(APPEND, `${this.#prefix}:l:${log}`, args);
  }

  async since(log: string, place: number): Promise<readonly StoredEntry[] | undefined> {
    const reply = await this.#commands.script(SINCE, `${this.#prefix}:l:${log}`, [String(place)]);
    if (!Array.isArray(reply)) return undefined;
    const entries: StoredEntry[] = [];
    for (let at = 0; at < reply.length; at += 2) {
      entries.push({ place: Number(reply[at]), text: String(reply[at + 1]) });
    }
    return entries;
  }

  async ping(): Promise<void> {
    await this.#commands.run(undefined, ["PING"]);
  }

  /** Warnings about the configuration of Redis, for the operator. */
  advice(): Promise<readonly string[]> {
    return adviceOn(this.#commands);
  }

  #record(key: string): string {
    return `${this.#prefix}:r:${key}`;
  }
}

/** The arguments of `CHANGE`: parts that are empty are left out. */
function changeArguments(change: RecordChange): string[] {
  const args: string[] = [];
  const part = (name: string, items: readonly string[] | undefined) => {
    if (items !== undefined && items.length > 0) args.push(name, String(items.length), ...items);
  };
  const conditions: string[] = [];
  const absent: string[] = [];
  for (const name in change.if) {
    const value = change.if[name];
    if (value === undefined) absent.push(name);
    else conditions.push(name, value);
  }
  part("if", conditions);
  part("not", absent);
  for (const name in change.add) if (!Number.isSafeInteger(change.add[name])) throw notWhole(name);
  part("add", pairsOf(change.add));
  part("remove", change.remove);
  part("set", pairsOf(change.set));
  part("once", pairsOf(change.setOnce));
  part("stamp", change.stamp);
  if (change.removePrefix !== undefined) args.push("prefix", "1", change.removePrefix);
  if (change.expire !== undefined) args.push("expire", "1", milliseconds(change.expire, 0));
  if (change.returning !== undefined) args.push("returning", String(change.returning.length), ...change.returning);
  return args;
}

function pairsOf(fields: { readonly [name: string]: string | number } | undefined): string[] {
  const pairs: string[] = [];
  for (const name in fields) pairs.push(name, String(fields[name]));
  return pairs;
}

function notWhole(name: string): TypeError {
  return new TypeError(`The field ${JSON.stringify(name)} of a record is not a whole number.`);
}

/** Settings of Redis with which tasks and sessions can be lost. An ACL or a provider may forbid to read them. */
async function adviceOn(commands: Commands): Promise<readonly string[]> {
  const read = async (name: string) => {
    try {
      return fieldsOf(await commands.run(undefined, ["CONFIG", "GET", name]))[name];
    } catch {
      return undefined;
    }
  };
  const [policy, appendOnly, save] = await Promise.all([read("maxmemory-policy"), read("appendonly"), read("save")]);
  const advice: string[] = [];
  if (policy !== undefined && policy !== "noeviction") {
    advice.push(
      `Redis removes data when its memory is full (maxmemory-policy ${policy}): tasks and sessions would vanish. Set it to noeviction.`,
    );
  }
  if (appendOnly === "no" && save === "") {
    advice.push("Redis does not save its data: a restart loses all tasks and sessions. Set appendonly to yes.");
  }
  return advice;
}

/**
 * Reads a reply that consists of names and values. Libraries return a flat list, an object or a map, and valkey-glide a
 * list of pairs. `Object.fromEntries` creates a property also for the name "__proto__".
 */
function fieldsOf(reply: unknown): RecordFields {
  if (reply instanceof Map) return Object.fromEntries(reply);
  if (!Array.isArray(reply)) return Object.fromEntries(Object.entries(reply ?? {}));
  const pairs: [string, string][] = [];
  if (typeof reply[0] === "object" && reply[0] !== null && "value" in reply[0]) {
    for (const { key, value } of reply) pairs.push([String(key), String(value)]);
  } else {
    for (let at = 0; at < reply.length; at += 2) pairs.push([String(reply[at]), String(reply[at + 1])]);
  }
  return Object.fromEntries(pairs);
}

/** Combines names and the values of a reply, without those that are missing. */
function namedFields(names: readonly string[], values: readonly unknown[]): RecordFields {
  const pairs: [string, string][] = [];
  for (const [index, name] of names.entries()) {
    const value = values[index];
    if (value !== null && value !== undefined) pairs.push([name, String(value)]);
  }
  return Object.fromEntries(pairs);
}
