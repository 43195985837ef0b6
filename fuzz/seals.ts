import assert from "node:assert/strict";
import fc from "fast-check";
import { type Context, defineServer, defineTool, field } from "proffer";
import { connect } from "proffer/testing";
import { createSealer, type Sealer } from "../packages/proffer/src/support/seal.ts";
import type { Target } from "./target.ts";

const CALL = { name: "ask", arguments: {} };

/** A change of a token; positions are taken modulo its length. */
type Change =
  | readonly ["flip", bit: number]
  | readonly ["cut", length: number]
  | readonly ["insert", at: number, text: string]
  | readonly ["splice", at: number];

const change = fc.oneof(
  fc.tuple(fc.constant("flip" as const), fc.nat()),
  fc.tuple(fc.constant("cut" as const), fc.nat()),
  fc.tuple(fc.constant("insert" as const), fc.nat(), fc.oneof(fc.constantFrom("A", "=", ".", "\n", "%"), fc.string())),
  fc.tuple(fc.constant("splice" as const), fc.nat()),
);
const changes = fc.array(change, { minLength: 1, maxLength: 4 });
const payload = fc.string({ unit: "binary", maxLength: 200 });

/** Changes sealed tokens at random: cursors and states are refused unless they are as they were issued. */
export const seals: Target = {
  name: "seals",
  runs: 300,
  async open() {
    const { cursors, states, refused } = await issueTokens();
    const sealers = createSealers(new Uint8Array(32).fill(7));
    const property = fc.asyncProperty(payload, payload, changes, async (sealed, bound, list) => {
      for (const sealer of sealers) {
        const [token, other] = [await sealer.seal("state", sealed, bound), await sealer.seal("state", bound, sealed)];
        assert.equal(await sealer.open("state", token, bound), sealed);
        assert.equal(await sealer.open("cursor", token, bound), undefined);
        if (sealed !== bound) assert.equal(await sealer.open("state", token, sealed), undefined);
        const changed = applyChanges(token, other, list);
        // With equal texts, the other token is valid too.
        if (changed !== token && changed !== other) assert.equal(await sealer.open("state", changed, bound), undefined);
      }
      const [cursor = "", nextCursor = ""] = cursors;
      const [state = "", nextState = ""] = states;
      await refused("tools/list", { cursor: applyChanges(cursor, nextCursor, list) }, cursors);
      await refused("tools/call", { ...CALL, requestState: applyChanges(state, nextState, list) }, states);
    });
    return { property };
  },
};

/** Creates one sealer with node:crypto, and one with Web Crypto, which is the fallback. */
function createSealers(key: Uint8Array): Sealer[] {
  const node = createSealer([key]);
  const { getBuiltinModule } = process;
  process.getBuiltinModule = (() => undefined) as never;
  const web = createSealer([key]);
  process.getBuiltinModule = getBuiltinModule;
  return [node, web];
}

function applyChanges(token: string, other: string, list: readonly Change[]): string {
  return list.reduce((text, [kind, at, inserted = ""]) => {
    const place = at % (text.length + 1);
    if (kind === "cut") return text.slice(0, place);
    if (kind === "insert") return text.slice(0, place) + inserted + text.slice(place);
    if (kind === "splice") return text.slice(0, place) + other.slice(place);
    const bytes = Buffer.from(text, "base64url");
    const bit = at % (bytes.length * 8 || 1);
    if (bytes.length > 0) bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    return bytes.toString("base64url");
  }, token);
}

/** Gets two cursors and two states from a server; `refused` sends others and expects an error about the parameters. */
async function issueTokens() {
  const handle = async (_input: unknown, ctx: Context) => String(await ctx.ask("Sure?", { yes: field.boolean() }));
  const ask = defineTool({ name: "ask", handle });
  const others = ["a", "b", "c"].map((name) => defineTool({ name, handle: () => name }));
  const server = defineServer({ name: "s", version: "1", tools: [ask, ...others], pageSize: 1, log: () => {} });
  const client = await connect(server);
  const first = (await client.requestOnce("tools/list", {})) as { nextCursor: string };
  const second = (await client.requestOnce("tools/list", { cursor: first.nextCursor })) as { nextCursor: string };
  const states = [await client.requestOnce("tools/call", CALL), await client.requestOnce("tools/call", CALL)];
  async function refused(method: string, params: object, issued: readonly string[]): Promise<void> {
    const { cursor, requestState } = params as { cursor?: string; requestState?: string };
    if (issued.includes(cursor ?? requestState ?? "")) return;
    const error = await client.requestOnce(method, params).then(
      (result) => assert.fail(`accepted: ${JSON.stringify(result)}`),
      (reason) => reason,
    );
    assert.equal(error.code, -32602, error);
  }
  return {
    cursors: [first.nextCursor, second.nextCursor],
    states: states.map((result) => (result as unknown as { requestState: string }).requestState),
    refused,
  };
}
