import { randomUUID } from "node:crypto";
import { defineTool, field } from "proffer";
import { currentEpoch } from "./traced-cluster.mjs";

const whole = { type: "integer", minimum: 0 };

/**
 * Creates the tool under test. It notes each effect outside of the store: "began" inside a step with its key, "recorded"
 * when the handler has its value, and "returned" at the end.
 *
 * @param note - receives the kind of an event, the task, the epoch, and for steps their number, value and key
 * @param wait - the time that a step takes: receives `milliseconds` of the arguments
 */
export function createTool(note, wait) {
  return defineTool({
    name: "work",
    task: { required: true, ttl: 3_600_000, pollInterval: 100 },
    input: {
      type: "object",
      properties: { steps: whole, questions: whole, milliseconds: whole, block: whole },
      required: ["steps"],
    },
    async handle({ steps, questions = 0, milliseconds = 0, block = 0 }, ctx) {
      const task = ctx.taskId;
      const epoch = currentEpoch();
      const values = [];
      for (let number = 0; number < steps; number++) {
        const value = await ctx.step(`step ${number}`, async (key) => {
          const made = randomUUID();
          note("began", task, epoch, number, made, key);
          if (block > 0 && number === 0) blockLoop(block);
          await wait(milliseconds);
          return made;
        });
        note("recorded", task, epoch, number, value);
        values.push(value);
        if (number < questions) await ctx.ask(`Question ${number}?`, { on: field.boolean() });
      }
      note("returned", task, epoch);
      return values.join(" ");
    },
  });
}

function blockLoop(milliseconds) {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}
