import { z } from "zod";
import { gives } from "../expect.ts";

const Order = z.object({ id: z.string(), count: z.number() });

/** Validates a value. */
export function validate(order: z.infer<typeof Order>): { ok: boolean; id?: string } {
  const { success, data } = Order.safeParse(order);
  return { ok: success, id: data?.id };
}
gives(validate, [{ id: "a", count: 1 }], { ok: true, id: "a" });
