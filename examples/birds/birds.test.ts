import { connect, type ScriptedAnswers } from "proffer/testing";
import { describe, expect, it } from "vitest";
import server from "./server.ts";
import { BIRDS, type Kind, MENUS } from "./taxonomy.ts";

const REVISIONS = ["2025-06-18", "2025-11-25", "2026-07-28"];

/** Answers every question for a bird with these traits. */
const looking =
  (traits: Kind["traits"]): ScriptedAnswers =>
  ({ params }) => {
    const message = String(params.message);
    const menu = /^What is the value for (\w+)\?$/.exec(message)?.[1];
    if (menu !== undefined)
      return { answer: MENUS[menu]?.includes(traits[menu] ?? "") ? traits[menu] : (MENUS[menu]?.at(-1) ?? "") };
    const [, attribute = "", value] = /^(\w+): (\w+)\?$/.exec(message) ?? [];
    return { answer: traits[attribute] === value ? "yes" : "no" };
  };

const leaves = (kinds: readonly Kind[], inherited = {}): Kind[] =>
  kinds.flatMap((kind) => {
    const traits = { ...inherited, ...kind.traits };
    return kind.kinds ? leaves(kind.kinds, traits) : [{ name: kind.name, traits }];
  });

describe.each(REVISIONS)("the birds expert on %s", (revision) => {
  it.each(leaves(BIRDS).map(({ name, traits }) => [name, traits] as const))("identifies a %s", async (_, traits) => {
    // The first match wins: with a forked tail, the expert never reaches the purple martin.
    const fits = leaves(BIRDS).find((leaf) =>
      Object.entries(leaf.traits).every(([key, value]) => traits[key] === value),
    );
    const client = await connect(server, { revision, answers: looking(traits) });
    expect((await client.call("identify_bird")).content).toEqual([
      { type: "text", text: `Identified bird: ${fits?.name}` },
    ]);
  });

  it("asks about the bill first, with yes and no as choices", async () => {
    const asked: unknown[] = [];
    const client = await connect(server, {
      revision,
      answers: ({ params }) => {
        asked.push(params);
        return "cancel";
      },
    });
    const result = await client.call("identify_bird");
    expect(result).toMatchObject({
      content: [{ text: "No bird could be identified from the given characteristics." }],
    });
    expect(result.isError).toBeUndefined();
    expect(asked[0]).toMatchObject({
      message: "bill: sharp_hooked?",
      requestedSchema: {
        type: "object",
        properties: { answer: { type: "string", enum: ["yes", "no"] } },
        required: ["answer"],
      },
    });
    expect(asked.length).toBeLessThanOrEqual(64);
  });

  it("requires a client that supports elicitation", async () => {
    const client = await connect(server, { revision, capabilities: {} });
    const outcome = await client.call("identify_bird").catch((error) => error);
    expect(outcome).toMatchObject(revision === "2026-07-28" ? { code: -32021 } : { isError: true });
  });
});

it("the birds expert has the same dialogue on every revision", async () => {
  const dialogues = await Promise.all(
    REVISIONS.map(async (revision) => {
      const asked: unknown[] = [];
      const answer = looking({
        feet: "webbed",
        bill: "flat",
        neck: "long",
        color: "white",
        flight: "ponderous",
        voice: "loud_trumpeting",
      });
      const client = await connect(server, {
        revision,
        answers: (question) => {
          asked.push(question.params.message);
          return (answer as (asked: typeof question) => { answer: string })(question);
        },
      });
      const result = await client.call("identify_bird");
      return [asked, result.content];
    }),
  );
  expect(dialogues[1]).toEqual(dialogues[0]);
  expect(dialogues[2]).toEqual(dialogues[0]);
  expect(dialogues[0]?.[0]?.length).toBeGreaterThanOrEqual(10);
});
