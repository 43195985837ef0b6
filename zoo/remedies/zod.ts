import { z } from "zod";
import { gives } from "../expect.ts";

const Order = z.object({ id: z.string(), count: z.number() });

/** Validates a value. */
export function validate(order: z.infer<typeof Order>): { ok: boolean; id?: string } {
  const { success, data } = Order.safeParse(order);
  return { ok: success, id: data?.id };
}
gives(validate, [{ id: "a", count: 1 }], { ok: true, id: "a" });

/** Explains what is wrong with an order. */
export function explain(value: unknown): { code: string | undefined; path: string[]; message: string }[] {
  const issues = Order.safeParse(value).error?.issues ?? [];
  return issues.slice(0, 1).map(({ code, path, message }) => ({ code, path: path.map(String), message }));
}
gives(
  explain,
  [{}],
  [{ code: "invalid_type", path: ["id"], message: "Invalid input: expected string, received undefined" }],
);
