import { z } from "zod";
import { accepts, cannotReturn, gives, refused, refuses, returns, says } from "../expect.ts";

const Order = z.object({
  id: z.uuid(),
  lines: z.array(z.object({ sku: z.string(), count: z.number() })),
  state: z.enum(["open", "paid"]),
  note: z.string().optional(),
  at: z.date(),
  meta: z.record(z.string(), z.unknown()),
});
const Shape = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("circle"), radius: z.number() }),
  z.object({ kind: z.literal("square"), side: z.number() }),
]);
const Node = z.object({
  name: z.string(),
  get children() {
    return z.array(Node);
  },
});

/** Places an order. */
export function place(order: z.infer<typeof Order>): z.infer<typeof Order>["id"] {
  return order.id;
}
accepts(place, [
  { id: "a", lines: [{ sku: "s", count: 1 }], state: "open", at: new Date(0), meta: { any: ["thing"] } },
]);
refuses(
  place,
  [{ id: "a", lines: [{ sku: "s" }], state: "open", at: new Date(0), meta: {} }],
  [{ id: "a", lines: [], state: "closed", at: new Date(0), meta: {} }],
  [{ id: "a", lines: [], state: "open", meta: {} }],
);
returns(place, "a");

/** Draws a shape. */
export const draw = (shape: z.infer<typeof Shape>): z.infer<typeof Shape> => shape;
accepts(draw, [{ kind: "circle", radius: 1 }], [{ kind: "square", side: 1 }]);
refuses(draw, [{ kind: "circle", side: 1 }], [{ kind: "line" }]);
returns(draw, { kind: "circle", radius: 1 });
cannotReturn(draw, { kind: "circle" });

/** Walks a tree. */
export function walk(node: z.infer<typeof Node>): number {
  return node.children.length;
}
accepts(walk, [{ name: "a", children: [{ name: "b", children: [] }] }]);
refuses(walk, [{ name: "a", children: [{ name: "b" }] }]);

/** Changes an order. */
export function change(id: string, patch: Partial<z.input<typeof Order>>): void {
  throw new Error(id + patch.note);
}
accepts(change, ["a", {}], ["a", { note: "Hi" }]);
refuses(change, ["a", { note: 5 }], ["a", { nope: 5 }]);

/** Validates with a schema. */
export function validate(schema: typeof Order): void {
  throw new Error(String(schema));
}
refused(validate, "PF1102", "PF1103", "PF1104", "PF1105", "PF1106");

/** Lists problems. */
export function problems(text: string): Pick<z.core.$ZodIssueBase, "message" | "code">[] {
  throw new Error(text);
}
returns(problems, [{ message: "No." }, { message: "No.", code: "custom" }]);
cannotReturn(problems, [{ code: "custom" }]);

class Store {
  readonly #orders = new Map<string, z.infer<typeof Order>>();

  /** Counts orders. */
  count(state?: z.infer<typeof Order>["state"]): number {
    return this.#find(state).length;
  }

  #find(state?: string): z.infer<typeof Order>[] {
    return [...this.#orders.values()].filter((order) => order.state === state);
  }
}

export const store = new Store();
accepts(store.count, [], ["paid"]);
refuses(store.count, ["closed"]);
returns(store.count, 5);

/** Exports orders. */
export async function* each(state: "open" | "paid"): AsyncGenerator<z.infer<typeof Order>> {
  yield { id: "a", lines: [], state, at: new Date(0), meta: {} };
}
accepts(each, ["open"]);
refuses(each, ["closed"], []);
says(each, "lines");

/** Lists sizes. */
export const sizes = (all: z.infer<z.ZodTuple<[z.ZodString, z.ZodNumber], z.ZodBoolean>>): Set<string> =>
  new Set(all.map(String));
accepts(sizes, [["a", 1]], [["a", 1, true, false]]);
refuses(sizes, [["a"]], [["a", 1, "x"]], [[1, "a"]]);
returns(sizes, new Set(["a"]));

/** Checks an order. */
export function check(value: unknown): z.ZodSafeParseResult<z.output<typeof Order>>["error"] | null {
  return Order.safeParse(value).error ?? null;
}
gives(check, [{}]);

/** Explains what is wrong with an order. */
export function explain(value: unknown): Pick<z.core.$ZodIssue, "code" | "path" | "message">[] {
  const issues = Order.safeParse(value).error?.issues ?? [];
  return issues.slice(0, 1).map(({ code, path, message }) => ({ code, path, message }));
}
gives(
  explain,
  [{}],
  [{ code: "invalid_type", path: ["id"], message: "Invalid input: expected string, received undefined" }],
);
