/** A server with functions of every kind. */
export const SHOP = `
  import { type Context, defineServer, defineTool, ToolError, user } from "proffer";
  export { Temporal } from "./time.ts";
  export * as orders from "./orders.ts";

  const count = defineTool({ name: "count", output: { type: "number" }, handle: () => 5 });
  export const server = defineServer({ name: "shop", version: "2.0.0", tools: [count] });

  /** An order. */
  export function order(id: string, limit = 100, due?: Date, ctx?: Context) {
    if (id === "0") throw new ToolError("There is no order 0.");
    return { id, limit, due, revision: ctx !== undefined };
  }
  /** Finds orders. */
  export const find = ({ text, max: most = 5 }: { text: string; /** @as limit */ max?: number }) => ({ text, most });
  /** Adds up. */
  export const sum = (ctx: Context, first: bigint, ...more: bigint[]) => more.reduce((a, b) => a + b, first);
  /** Counts letters. */
  export const letters = (counts: Map<string, number>, marks: Set<string>, data: Uint8Array) =>
    ({ counts, marks: [...marks].length, bytes: data.length });
  /** Filters. */
  export const filter = (filter: { filter?: string }) => filter;
  /** @name close-shop @was shut */
  export const close = () => "closed";
  export const LIMIT = 5;
  /** An invoice. @resource invoices://{year}/{id}{?page} */
  export const invoice = (id: string, year: number, page?: number) => ({ id, year, page });
  /** The stock. @resource shop://stock */
  export const stock = () => "2";
  /** Greets. @prompt */
  export const greet = (name: string, tone: "warm" | "cold" = "warm") => user(\`\${tone} \${name}\`);
`;

/** The group of its functions. */
export const ORDERS = `
  /** Cancels an order. @param id - the number. @as orderId */
  export const cancel = (id: string): string => \`cancelled \${id}\`;
  /** Items of orders. */
  export const items = { /** Adds one. */ add: (name: string) => [name] };
`;

/** Typed calls of it, right and wrong. */
export const CALLS = `
  import { connect } from "proffer/client";
  const shop = await connect<typeof import("./shop.ts")>("https://shop.example/mcp", { typesOf: "1.0.0" });
  const { id, limit, due } = await shop.tools.order("7", 10, new Date());
  export const isTyped: [string, number, string | undefined] = [id, limit, due];
  export const more: string = await shop.tools.sum(1n, "2", 3n);
  await shop.tools.order("7");
  await shop.tools.order("7", undefined, "2026-01-01T00:00:00Z");
  export const five: number = await shop.tools.count();
  export const list: string[] = await shop.tools.orders.items.add("a");
  export const counts: { [key: string]: number } = (
    await shop.tools.letters(new Map([["a", 1]]), new Set("a"), new Uint8Array(1))).counts;
  (await shop.resources.invoice("7", 2026)).contents;
  (await shop.prompts.greet("Ada", "cold")).messages;
  // @ts-expect-error: there is no such function
  shop.tools.ordr("7");
  // @ts-expect-error: a number is not an id
  shop.tools.order(7);
  // @ts-expect-error: the context is the server's
  shop.tools.order("7", 10, new Date(), {});
  // @ts-expect-error: the id is missing
  shop.tools.order();
  // @ts-expect-error: dates are texts
  const wrong: Date | undefined = due;
  // @ts-expect-error: there is no price
  (await shop.tools.order("7")).price;
  // @ts-expect-error: find takes an object with a text
  shop.tools.find({ txt: "" });
  // @ts-expect-error: LIMIT is not a function
  shop.tools.LIMIT;
  // @ts-expect-error: the class is not served
  shop.tools.Temporal();
  // @ts-expect-error: the name of the tone
  shop.prompts.greet("Ada", "hot");
  // @ts-expect-error: the year is a number
  shop.resources.invoice("7", "2026");
  // @ts-expect-error: there is no such group
  shop.tools.orders.parts.add("a");
`;
