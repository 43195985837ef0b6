import { type Context, definePrompt, defineTool, field } from "proffer";

const askName = (ctx: Context, message: string, key: string) => ctx.ask(message, { name: field.text() }, { key });

const sampleText = (ctx: Context, prompt: string, key?: string) =>
  ctx.sample({ messages: [{ role: "user", content: { type: "text", text: prompt } }], maxTokens: 100 }, key);

const choices = {
  type: "object",
  properties: {
    untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
    titledSingle: {
      type: "string",
      oneOf: [
        { const: "value1", title: "First Option" },
        { const: "value2", title: "Second Option" },
        { const: "value3", title: "Third Option" },
      ],
    },
    legacyEnum: {
      type: "string",
      enum: ["opt1", "opt2", "opt3"],
      enumNames: ["Option One", "Option Two", "Option Three"],
    },
    untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2", "option3"] } },
    titledMulti: {
      type: "array",
      items: {
        anyOf: [
          { const: "value1", title: "First Choice" },
          { const: "value2", title: "Second Choice" },
          { const: "value3", title: "Third Choice" },
        ],
      },
    },
  },
} as const;

/** The tools that the suite calls on revisions with a handshake. */
const older = [
  defineTool({
    name: "test_sampling",
    description: "Has the client's model write something.",
    input: { type: "object", properties: { prompt: { type: "string" } }, required: ["prompt"] } as const,
    async handle({ prompt }, ctx) {
      const { content } = await sampleText(ctx, prompt);
      return `LLM response: ${"text" in content ? content.text : JSON.stringify(content)}`;
    },
  }),
  defineTool({
    name: "test_elicitation",
    description: "Asks the user for a name and an address.",
    input: { type: "object", properties: { message: { type: "string" } }, required: ["message"] } as const,
    async handle({ message }, ctx) {
      const answer = await ctx.ask(message, { username: field.text(), email: field.text() });
      return `User response: ${JSON.stringify(answer)}`;
    },
  }),
  defineTool({
    name: "test_elicitation_sep1034_defaults",
    description: "Asks with answers filled in.",
    async handle(_input, ctx) {
      const answer = await ctx.ask("Please review and update the form fields with defaults", {
        name: field.text({ default: "John Doe" }),
        age: field.integer({ default: 30 }),
        score: field.number({ default: 95.5 }),
        status: field.choice(["active", "inactive", "pending"], { default: "active" }),
        verified: field.boolean({ default: true }),
      });
      return `Elicitation completed: ${JSON.stringify(answer)}`;
    },
  }),
  defineTool({
    name: "test_elicitation_sep1330_enums",
    description: "Asks for choices of every kind.",
    async handle(_input, ctx) {
      const answer = await ctx.ask("Please select options from the enum fields", choices);
      return `Elicitation completed: ${JSON.stringify(answer)}`;
    },
  }),
];

/** The tools that the suite calls on revisions where a question ends the request. */
const newer = [
  defineTool({
    name: "test_streaming_elicitation",
    description: "Asks for a confirmation.",
    async handle(_input, ctx) {
      const { action } = await ctx.ask("Go on?", { ok: field.boolean() });
      return `The user said ${action}.`;
    },
  }),
  defineTool({
    name: "test_input_required_result_elicitation",
    description: "Asks for a name and greets its owner.",
    async handle(_input, ctx) {
      const answer = await askName(ctx, "What is your name?", "user_name");
      return answer.action === "accept" ? `Hello, ${answer.content.name}!` : "Hello, whoever you are!";
    },
  }),
  defineTool({
    name: "test_input_required_result_sampling",
    description: "Has the client's model answer a question.",
    async handle(_input, ctx) {
      const { content } = await sampleText(ctx, "What is the capital of France?", "capital_question");
      return JSON.stringify(content);
    },
  }),
  defineTool({
    name: "test_input_required_result_list_roots",
    description: "Asks for the user's folders.",
    handle: async (_input, ctx) => JSON.stringify(await ctx.roots("client_roots")),
  }),
  defineTool({
    name: "test_input_required_result_request_state",
    description: "Asks for a confirmation and checks that its state came back.",
    async handle(_input, ctx) {
      const { action } = await ctx.ask("Please confirm", { ok: field.boolean() }, { key: "confirm" });
      return `state-ok: ${action}`;
    },
  }),
  defineTool({
    name: "test_input_required_result_tampered_state",
    description: "Asks for a confirmation; a state that was changed is refused.",
    async handle(_input, ctx) {
      const { action } = await ctx.ask("Please confirm", { ok: field.boolean() }, { key: "confirm" });
      return `The user said ${action}.`;
    },
  }),
  defineTool({
    name: "test_input_required_result_multiple_inputs",
    description: "Asks the user, the model and the client at once.",
    async handle(_input, ctx) {
      const answers = await Promise.all([
        askName(ctx, "What is your name?", "user_name"),
        sampleText(ctx, "Generate a greeting", "greeting"),
        ctx.roots("client_roots"),
      ]);
      return JSON.stringify(answers);
    },
  }),
  defineTool({
    name: "test_input_required_result_multi_round",
    description: "Asks for a name, then for a colour.",
    async handle(_input, ctx) {
      const first = await askName(ctx, "Step 1: What is your name?", "step1");
      const second = await ctx.ask("Step 2: What is your favorite color?", { color: field.text() }, { key: "step2" });
      return JSON.stringify([first, second]);
    },
  }),
  defineTool({
    name: "test_input_required_result_capabilities",
    description: "Asks only for what the client can answer.",
    async handle(_input, ctx) {
      const { elicitation, sampling } = ctx.client.capabilities;
      const answers = await Promise.all([
        elicitation === undefined ? undefined : askName(ctx, "What is your name?", "user_name"),
        sampling === undefined ? undefined : sampleText(ctx, "Generate a greeting", "greeting"),
      ]);
      return JSON.stringify(answers);
    },
  }),
];

export const askingTools = [...older, ...newer];

export const askingPrompt = definePrompt({
  name: "test_input_required_result_prompt",
  description: "Asks for the context that it needs.",
  async get(_values, ctx) {
    const answer = await ctx.ask("What context should it use?", { context: field.text() }, { key: "user_context" });
    return `Use this context: ${answer.action === "accept" ? answer.content.context : "none"}`;
  },
});
