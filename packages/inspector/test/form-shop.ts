import {
  assistant,
  audio,
  definePrompt,
  defineResource,
  defineServer,
  defineTool,
  embed,
  field,
  image,
  type JsonSchemaObject,
  link,
  messages,
  type Server,
  ToolError,
  text,
  user,
} from "proffer";

const ORDER: JsonSchemaObject = {
  type: "object",
  properties: {
    items: {
      type: "array",
      description: "what to order",
      items: {
        type: "object",
        properties: { sku: { type: "string" }, count: { type: "integer", minimum: 1, maximum: 20, default: 1 } },
        required: ["sku"],
        additionalProperties: false,
      },
    },
    to: {
      type: "object",
      description: "where it goes",
      properties: {
        street: { type: "string" },
        zip: { type: "string", pattern: "^\\d{5}$" },
        country: { type: "string", enum: ["DE", "FR"] },
      },
      required: ["zip"],
      additionalProperties: false,
    },
    express: { type: "boolean", description: "deliver tomorrow", default: false },
    note: { type: ["string", "null"], maxLength: 80 },
    day: { type: "string", format: "date" },
  },
  required: ["items", "to"],
};

const TREE: JsonSchemaObject = {
  type: "object",
  properties: { left: { $ref: "#/$defs/node" }, right: { $ref: "#/$defs/node" } },
  $defs: {
    node: {
      type: "object",
      properties: { name: { type: "string" }, child: { $ref: "#/$defs/node" } },
      required: ["name"],
      additionalProperties: false,
    },
  },
};

const FIND: JsonSchemaObject = {
  type: "object",
  anyOf: [
    { title: "by number", properties: { id: { type: "integer" } }, required: ["id"] },
    { title: "by name", properties: { name: { type: "string" } }, required: ["name"] },
  ],
};

/** 1 × 1 pixel. */
const PIXEL = Buffer.from("R0lGODlhAQABAIAAAP8AAP///ywAAAAAAQABAAACAkQBADs=", "base64");

export interface FormShop {
  readonly server: Server;
  /** The arguments that the tools received. */
  readonly received: unknown[];
  /** Changes the subscribed resource. */
  sell(): void;
}

/** A server for the tests of forms and results. */
export function createFormShop(): FormShop {
  const received: unknown[] = [];
  let stock = 3;
  let runs = 0;
  const echo = (name: string, input: JsonSchemaObject) =>
    defineTool({
      name,
      input,
      handle: (given) => {
        received.push(given);
        return JSON.stringify(given);
      },
    });
  const server = defineServer({
    name: "form-shop",
    version: "1.0.0",
    log: () => {},
    tools: [
      echo("order", ORDER),
      echo("find", FIND),
      echo("tree", TREE),
      defineTool({
        name: "pay",
        handle: async (_, ctx) => {
          const price = await ctx.step("price", () => 14);
          const answer = await ctx.ask(`Pay ${price} €?`, {
            sure: field.boolean(),
            note: field.text({ optional: true, maxLength: 40 }),
          });
          return answer.action === "accept" ? `paid: ${answer.content.sure}` : `not paid: ${answer.action}`;
        },
      }),
      defineTool({
        name: "visit",
        handle: async (_, ctx) => (await ctx.askUrl("Sign in.", "https://login.example.com/start?x=1")).action,
      }),
      defineTool({
        name: "deprecated",
        handle: async (_, ctx) => {
          const roots = await ctx.roots();
          const sampled = await ctx.sample({
            messages: [{ role: "user", content: { type: "text", text: "Say something." } }],
            maxTokens: 10,
          });
          return JSON.stringify([roots, sampled]);
        },
      }),
      defineTool({
        name: "both",
        handle: async (_, ctx) => {
          const [a, b] = await Promise.all([
            ctx.ask("First?", { one: field.text() }),
            ctx.ask("Second?", { two: field.text() }),
          ]);
          return [a, b].map(({ action }) => action).join(" and ");
        },
      }),
      defineTool({
        name: "unstable",
        handle: async (_, ctx) => (await ctx.ask(`Question ${++runs}?`, { value: field.text() })).action,
      }),
      defineTool({
        name: "count",
        annotations: { readOnlyHint: true },
        handle: (_, ctx) => {
          for (let n = 1; n <= 5; n++) ctx.progress(n, 5, `step ${n}`);
          return "counted";
        },
      }),
      defineTool({
        name: "wait",
        handle: (_, ctx) =>
          new Promise((_, reject) => ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason))),
      }),
      defineTool({
        name: "media",
        handle: () => [
          text("seen <img src=x onerror=alert(1)> \u202etoday"),
          image(PIXEL, "image/gif"),
          audio(Buffer.alloc(64), "audio/wav"),
          link({ uri: "shop://stock", name: "stock", description: "how many" }),
          embed({ uri: "shop://embedded", mimeType: "application/json", text: '{"embedded":[1,2]}' }),
          embed({
            uri: "shop://bytes",
            mimeType: "application/x-thing",
            blob: Buffer.from("raw bytes").toString("base64"),
          }),
        ],
      }),
      defineTool({
        name: "fail",
        handle: () => {
          throw new ToolError("It is sold out.");
        },
      }),
      defineTool({ name: "large", handle: () => `${"one line of a long text\n".repeat(220_000)}the end` }),
    ],
    resources: [
      defineResource({ uri: "shop://stock", name: "stock", read: () => `pens: ${stock}\nink: 1` }),
      defineResource({
        uri: "orders://{id}{?limit}",
        name: "orders",
        complete: { id: (typed) => ["17", "18", "27"].filter((id) => id.startsWith(typed)) },
        read: ({ id, limit }) => ({ id, limit: limit ?? null }),
      }),
    ],
    prompts: [
      definePrompt({
        name: "review",
        arguments: { code: { required: true, description: "what to review" }, style: { complete: ["strict", "kind"] } },
        get: ({ code }) => messages([user(`Review ${code}`), assistant("Gladly."), user(image(PIXEL, "image/gif"))]),
      }),
    ],
  });
  return {
    server,
    received,
    sell() {
      stock--;
      server.notify("shop://stock");
    },
  };
}
