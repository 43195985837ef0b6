import { defineServer, defineTool, field } from "proffer";
import { connect } from "proffer/testing";
import { describe, expect, it } from "vitest";

describe("the key of a step", () => {
  it.each(["2025-06-18", "2025-11-25", "2026-07-28"])(
    "is stable over all runs of a call on %s, and unique",
    async (revision) => {
      const keys: string[] = [];
      let failures = 1;
      const server = defineServer({
        name: "keys",
        version: "1",
        log: () => {},
        tools: [
          defineTool({
            name: "pay",
            async handle(_, ctx) {
              await ctx.step("first", (key) => void keys.push(key));
              await ctx.step("again", (key) => void keys.push(key));
              await ctx.step("again", (key) => void keys.push(key));
              await ctx.ask("Go?", { on: field.boolean() });
              // A step that fails is not recorded.
              const retry = () =>
                ctx.step("fails", (key) => {
                  keys.push(key);
                  if (failures-- > 0) throw new Error("try again");
                });
              await retry().catch(() => undefined);
              await ctx.ask("And on?", { on: field.boolean() });
              return "paid";
            },
          }),
        ],
      });
      const client = await connect(server, { revision, answers: () => ({ on: true }) });
      await client.call("pay");
      for (const key of keys) expect(key).toMatch(/^[0-9A-Za-z-]{40,80}$/);
      const first = keys.splice(0);
      // In rounds, the failed step runs again in the third run, with the same key.
      expect(first.length).toBe(revision === "2026-07-28" ? 5 : 4);
      expect(new Set(first).size).toBe(4);
      await client.call("pay");
      expect(new Set([...first, ...keys]).size).toBe(8);
    },
  );
});
