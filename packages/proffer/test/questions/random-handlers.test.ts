import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { defineServer, defineTool, type Tool } from "proffer";
import { connectOver, type TestClient } from "proffer/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectMemory } from "../../src/transports/memory.ts";
import { EVERY } from "../versions.ts";
import { concurrentPrograms, type Program, runProgram, sequentialPrograms } from "./random-handler.ts";

// The seed is fixed unless PROFFER_HANDLERS sets the number of handlers; then each run has a new seed, which a failure
// prints.
const { PROFFER_HANDLERS } = process.env;
const RUNS = {
  numRuns: Number(PROFFER_HANDLERS ?? 60),
  seed: PROFFER_HANDLERS === undefined ? 1 : Date.now(),
  // A handler that hangs would hang again in each smaller form.
  endOnFailure: true,
};
const BUSY = -31000;
const ASKING = ["2025-06-18", "2025-11-25", "2026-07-28"];

const unhandled: unknown[] = [];
const onUnhandled = (reason: unknown) => unhandled.push(reason);
beforeAll(() => {
  process.on("unhandledRejection", onUnhandled);
});
afterAll(async () => {
  await turn();
  process.off("unhandledRejection", onUnhandled);
  expect(unhandled).toEqual([]);
});

let program: Program = [];
/** How often each step of the call completed. */
let effects = new Map<string, number>();

function randomTool(options: { name: string; timeout?: number }): Tool {
  return defineTool({
    ...options,
    handle: (_, ctx) => {
      const mine = effects;
      return runProgram(program, ctx, (path) => mine.set(path, (mine.get(path) ?? 0) + 1));
    },
  });
}

const logged: string[] = [];
const server = defineServer({
  name: "random",
  version: "1",
  keys: [new Uint8Array(32)],
  log: (entry) => logged.push(String(entry.error)),
  tools: [randomTool({ name: "run" }), randomTool({ name: "hurried", timeout: 2 })],
});

/** Connects a client that may have one request in flight. A call that keeps its slot makes the next one fail as busy. */
function connectOne(revision: string): Promise<TestClient> {
  return connectOver((receive) => connectMemory(server, receive, { maxInFlight: 1 }), {
    revision,
    answers: async ({ method }) => {
      await turn();
      if (method === "roots/list") return { roots: [] };
      if (method === "elicitation/create") return { yes: true };
      return { role: "assistant", model: "m", content: { type: "text", text: "" } };
    },
  });
}

/** The outcome of a call in a form that is the same on every revision. */
async function outcome(client: TestClient, tool: string): Promise<{ text: string; code?: number }> {
  effects = new Map();
  try {
    const { content } = await client.call(tool);
    return { text: (content[0] as { text?: string } | undefined)?.text ?? "" };
  } catch (error) {
    return { text: String(error), code: (error as { code?: number }).code ?? 0 };
  }
}

/** Checks that each request of the client had exactly one response. */
function checkResponses({ transcript }: TestClient): void {
  const parse = (side: "client" | "server") => transcript.messages(side).map((text) => JSON.parse(text));
  const requests = parse("client").filter(({ id, method }) => id !== undefined && method !== undefined);
  const responses = parse("server").filter(({ id, method }) => id !== undefined && method === undefined);
  expect(responses.map(({ id }) => id).sort()).toEqual(requests.map(({ id }) => id).sort());
}

describe("a random handler with questions, steps, timers, throws and races", () => {
  it.each(EVERY)("is answered exactly once, frees its slot, and repeats no step on %s", async (revision) => {
    await fc.assert(
      fc.asyncProperty(concurrentPrograms, async (random) => {
        program = random;
        const client = await connectOne(revision);
        const { code } = await outcome(client, "run");
        expect(code).not.toBe(BUSY);
        expect(Math.max(1, ...effects.values())).toBe(1);
        expect((await outcome(client, "hurried")).code).not.toBe(BUSY);
        // A handler that exceeded its time limit counts until it ends.
        await expect
          .poll(async () => (await outcome(client, "run")).code, { interval: 1, timeout: 60_000 })
          .not.toBe(BUSY);
        checkResponses(client);
        await client.close();
      }),
      RUNS,
    );
  });

  it("has the same outcome on every revision that can ask, if it does one thing after the other", async () => {
    await fc.assert(
      fc.asyncProperty(sequentialPrograms, async (random) => {
        program = random;
        const outcomes = [];
        for (const revision of ASKING) {
          logged.length = 0;
          const client = await connectOne(revision);
          outcomes.push({ ...(await outcome(client, "run")), logged: [...logged], effects: [...effects] });
          await client.close();
        }
        expect(outcomes[1]).toEqual(outcomes[0]);
        expect(outcomes[2]).toEqual(outcomes[0]);
      }),
      RUNS,
    );
  });
});
