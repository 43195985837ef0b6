import type { Asked } from "proffer/testing";
import { expect, it } from "vitest";
import { describeModule } from "../transports.ts";

/** The answers that describe a trumpeter swan. */
const SWAN: { readonly [question: string]: string } = {
  "What is the value for flight?": "ponderous",
  "What is the value for size?": "large",
  "What is the value for tail?": "other",
  "feet: webbed?": "yes",
  "bill: flat?": "yes",
  "neck: long?": "yes",
  "color: white?": "yes",
  "voice: loud_trumpeting?": "yes",
};

const asked: string[] = [];
let silent = false;

function answers({ params }: Asked) {
  const message = String(params.message);
  asked.push(message);
  return silent ? ("decline" as const) : { answer: SWAN[message] ?? "no" };
}

describeModule(
  { module: new URL("./server.ts", import.meta.url), revisions: ["2025-06-18", "2026-07-28"], answers },
  (leg) => {
    it("identifies a bird without asking a question twice", async () => {
      silent = false;
      asked.length = 0;
      const { content } = await leg.client.call("identify_bird");
      expect(content).toEqual([{ type: "text", text: "Identified bird: trumpeter_swan" }]);
      expect(asked.length).toBeGreaterThanOrEqual(10);
      expect(new Set(asked).size).toBe(asked.length);
    });

    it("returns no bird, without an error, if every question is declined", async () => {
      silent = true;
      asked.length = 0;
      const result = await leg.client.call("identify_bird");
      expect(result.content).toMatchObject([{ text: "No bird could be identified from the given characteristics." }]);
      expect(result).not.toHaveProperty("isError");
      expect(asked[0]).toBe("bill: sharp_hooked?");
      // A declined yes-or-no question counts as no; a declined menu is asked again for the next bird.
      const repeated = asked.filter((message, at) => asked.indexOf(message) !== at);
      expect(repeated.every((message) => message.startsWith("What is the value for "))).toBe(true);
      expect(asked.length).toBeLessThanOrEqual(64);
    });

    it("requires a client that supports elicitation", async () => {
      const call = (await leg.connect({ capabilities: {} })).call("identify_bird");
      if (leg.revision === "2026-07-28") await expect(call).rejects.toMatchObject({ code: -32021 });
      else expect(await call).toMatchObject({ isError: true });
    });
  },
);
