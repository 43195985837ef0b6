import Joi, { type ValidationError, type ValidationErrorItem, type ValidationResult } from "joi";
import { gives, refuses } from "../expect.ts";

interface Order {
  id: string;
  count: number;
}
const schema = Joi.object<Order>({ id: Joi.string().required(), count: Joi.number().min(1) });

/** Checks an order. */
export function check(order: Record<string, unknown>): {
  value?: Order;
  details: Pick<ValidationErrorItem, "message" | "path" | "type">[];
} {
  const { value, error } = schema.validate(order);
  return { value, details: (error?.details ?? []).map(({ message, path, type }) => ({ message, path, type })) };
}
gives(check, [{ id: "a", count: "2" }], { value: { id: "a", count: 2 }, details: [] });
refuses(check, ["a"]);

/** Explains what is wrong. */
export async function explain(
  id: string,
): Promise<{ error: ValidationError | undefined; result: ValidationResult<Order>["error"] }> {
  const { error } = schema.validate({ id, count: 0, token: "SECRET" });
  return { error, result: error };
}
gives(explain, ["a"], {
  error: { name: "ValidationError", message: '"count" must be greater than or equal to 1' },
  result: { name: "ValidationError", message: '"count" must be greater than or equal to 1' },
});

/** Describes the schema. */
export function describe(): Joi.Description {
  return schema.describe();
}
gives(describe, []);
