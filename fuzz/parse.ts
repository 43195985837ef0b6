import assert from "node:assert/strict";
import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { defineServer, defineTool } from "proffer";
import { ERRORS } from "../packages/proffer/src/protocol/errors.ts";
import { MAX_DEPTH, MessageFault, parseMessage } from "../packages/proffer/src/protocol/parse.ts";
import { METHODS } from "../packages/proffer/src/server/methods.ts";
import { connectMemory } from "../packages/proffer/src/transports/memory.ts";
import { type Member, readMembers } from "./json-members.ts";
import type { Target } from "./target.ts";

const key = fc.constantFrom("jsonrpc", "id", "method", "params", "_meta", "result", "error", "__proto__", "a", "é");
const value = fc.oneof(
  fc.constantFrom("2.0", "ping", "tools/call", 0, 1, -1, 1.5, 2 ** 53, null, true, "", "0"),
  fc.jsonValue(),
);
const message = fc.record(
  {
    jsonrpc: fc.constantFrom("2.0", "2.0", "2.0", "1.0", 2),
    id: fc.oneof(fc.integer(), fc.string(), fc.double(), fc.constant(null)),
    method: fc.oneof(fc.constantFrom(...METHODS.keys(), "notifications/cancelled"), fc.string(), fc.integer()),
    params: fc.oneof(fc.dictionary(fc.oneof(key, fc.string()), value, { noNullPrototype: true }), value),
    result: value,
    error: value,
  },
  { requiredKeys: ["jsonrpc"] },
);
/** Objects as text, in which a key can appear twice. */
const { object } = fc.letrec<{ object: string; member: string }>((tie) => ({
  object: fc.array(tie("member"), { maxLength: 5 }).map((members) => `{${members.join(" ,")}}`),
  member: fc
    .tuple(key, fc.oneof({ maxDepth: 3 }, value.map(toJson), tie("object"), tie("object")))
    .map(([name, json]) => `${JSON.stringify(name)}: ${json}`),
}));
const token = fc.constantFrom(
  ...'{}[]:,"\\ \n',
  '"params"',
  "2.0",
  "null",
  "1e400",
  "\u0000",
  "\ud800",
  "[[[[[[[[[[[[[[[[[",
);
const text = fc.oneof(
  message.map(toJson),
  fc.array(message, { maxLength: 4 }).map(toJson),
  object,
  fc.array(token, { maxLength: 40 }).map((parts) => parts.join("")),
  fc.string({ unit: "binary" }),
);
/** A text with a part replaced, which is often no longer JSON. */
const mutated = fc
  .tuple(text, fc.nat({ max: 300 }), fc.nat({ max: 4 }), fc.oneof(fc.constant(""), token))
  .map(([whole, at, count, insert]) => whole.slice(0, at) + insert + whole.slice(at + count));

function toJson(json: unknown): string {
  return JSON.stringify(json);
}

/** Compares the parser with `JSON.parse` and a second reading of the rules, and sends each text to a server. */
export const parse: Target = {
  name: "parse",
  runs: 2_000,
  open() {
    const tools = [defineTool({ name: "echo", input: { type: "object" }, handle: () => "done" })];
    const server = defineServer({ name: "s", version: "1", tools, log: () => {} });
    const received: string[] = [];
    const { send } = connectMemory(server, (answer) => received.push(answer));
    const property = fc.asyncProperty(fc.oneof(text, mutated), async (sent) => {
      const parsed = [parseMessage(sent)].flat();
      const expected = expectedOf(sent);
      assert.deepEqual(parsed.map(outcomeOf), expected ?? parsed.map(outcomeOf));
      if (parsed.some((one) => !(one instanceof MessageFault))) JSON.parse(sent);
      send(sent);
      await turn();
      const answers = received.splice(0);
      assert.ok(answers.length <= 1, "at most one answer");
      if (parsed.length > 0 && parsed.every(isSilent)) assert.deepEqual(answers, []);
      for (const one of answers.flatMap((answer) => JSON.parse(answer))) assert.equal(one.jsonrpc, "2.0");
    });
    return { property };
  },
};

/** Whether a message must not be answered: it is a notification. */
function isSilent(parsed: ReturnType<typeof parseMessage>): boolean {
  return parsed instanceof MessageFault ? parsed.notification : "method" in parsed && !("id" in parsed);
}

function outcomeOf(parsed: ReturnType<typeof parseMessage>): string | number {
  return parsed instanceof MessageFault ? ERRORS[parsed.error.kind] : "message";
}

/** The outcomes that the rules require; undefined if they allow several. */
function expectedOf(sent: string): (string | number)[] | undefined {
  let json: unknown;
  try {
    json = JSON.parse(sent);
  } catch {
    // Depth is checked before the syntax.
    return /[[{]/.test(sent) && sent.split(/[[{]/).length > MAX_DEPTH ? undefined : [ERRORS.parse_error];
  }
  const { depth, members } = readMembers(sent);
  if (depth > MAX_DEPTH) return [ERRORS.invalid_request];
  const messages = Array.isArray(json) ? members.map(({ members: inner }) => inner) : [members];
  if (messages.some(repeatsEnvelope)) return [ERRORS.invalid_request];
  // Duplicate keys below are not always seen.
  if (hasDuplicates(members)) return undefined;
  return [json].flat().map(ruleFor);
}

/** Whether the envelope, its params or their `_meta` have a key twice. */
function repeatsEnvelope(envelope: readonly Member[]): boolean {
  const params = envelope.findLast(({ name }) => name === "params");
  const meta = params?.members.findLast(({ name }) => name === "_meta");
  return [envelope, params?.members ?? [], meta?.members ?? []].some(isRepeated);
}

function isRepeated(members: readonly Member[]): boolean {
  const names = members.filter(({ name }) => name !== undefined).map(({ name }) => name);
  return new Set(names).size < names.length;
}

function hasDuplicates(members: readonly Member[]): boolean {
  return isRepeated(members) || members.some(({ members: inner }) => hasDuplicates(inner));
}

/** The rules of JSON-RPC and MCP for one message. */
function ruleFor(json: unknown): string | number {
  const isObject = (one: unknown) => typeof one === "object" && one !== null && !Array.isArray(one);
  if (!isObject(json)) return ERRORS.invalid_request;
  const { jsonrpc, id, method, params, result, error } = json as { [name: string]: unknown };
  const has = (name: string) => Object.hasOwn(json as object, name);
  if (jsonrpc !== "2.0") return ERRORS.invalid_request;
  if (has("id") && typeof id !== "string" && !Number.isSafeInteger(id)) return ERRORS.invalid_request;
  if (has("method")) {
    if (typeof method !== "string" || has("result") || has("error")) return ERRORS.invalid_request;
    return !has("params") || isObject(params) ? "message" : ERRORS.invalid_params;
  }
  if (!has("id") || has("result") === has("error")) return ERRORS.invalid_request;
  return isObject(has("result") ? result : error) ? "message" : ERRORS.invalid_request;
}
