import { setTimeout as pause } from "node:timers/promises";
import { defineTool, fail, field, InvalidParams } from "proffer";

const job = {
  type: "object",
  properties: { seconds: { type: "number" }, label: { type: "string" } },
} as const;

const person = { name: field.text({ optional: true }), confirm: field.boolean({ optional: true }) };

/** The tools of the suite's scenarios for tasks. */
export const taskTools = [
  defineTool({
    name: "greet",
    description: "Greets; never a task.",
    input: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const,
    handle: ({ name }) => `Hello, ${name}!`,
  }),
  defineTool({
    name: "slow_compute",
    description: "Takes as many seconds as it is told.",
    task: true,
    input: job,
    async handle({ seconds = 1, label = "" }, ctx) {
      await pause(seconds * 1000, undefined, { signal: ctx.signal });
      return `Computed ${label} in ${seconds} s.`;
    },
  }),
  defineTool({
    name: "failing_job",
    description: "Fails after a second.",
    task: "required",
    input: job,
    async handle() {
      await pause(1000);
      return fail("The job failed.");
    },
  }),
  defineTool({
    name: "protocol_error_job",
    description: "Ends with an error of the protocol.",
    task: true,
    input: job,
    async handle() {
      await pause(100);
      throw new InvalidParams("The job cannot be done.");
    },
  }),
  defineTool({
    name: "confirm_delete",
    description: "Asks before it deletes a file.",
    task: true,
    input: { type: "object", properties: { filename: { type: "string" } } } as const,
    async handle({ filename = "file" }, ctx) {
      const answer = await ctx.ask(`Delete ${filename}?`, { confirm: field.boolean() });
      return answer.action === "accept" && answer.content.confirm ? `Deleted ${filename}.` : `Kept ${filename}.`;
    },
  }),
  defineTool({
    name: "multi_input",
    description: "Asks two questions at once.",
    task: true,
    async handle(_input, ctx) {
      const answers = await Promise.all([ctx.ask("What is your name?", person), ctx.ask("Go on?", person)]);
      return JSON.stringify(answers);
    },
  }),
  defineTool({
    name: "test_tool_with_task",
    description: "Asks for a name, then becomes a task.",
    task: { required: true, after: Number.POSITIVE_INFINITY },
    async handle(_input, ctx) {
      const answer = await ctx.ask("What is your name?", { name: field.text() }, { key: "user_name" });
      await ctx.background();
      return `Hello, ${answer.action === "accept" ? answer.content.name : "whoever you are"}!`;
    },
  }),
];
