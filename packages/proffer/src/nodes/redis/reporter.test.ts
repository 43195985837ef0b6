import { expect, it, vi } from "vitest";
import { reporter } from "./failures.ts";

it("passes errors on, and survives those of the function that receives them", async () => {
  const error = new Error("of Redis");
  const onError = vi.fn();
  reporter(onError)(error);
  expect(onError).toHaveBeenCalledWith(error);
  reporter(undefined)(error);
  reporter(() => {
    throw new Error("of the author");
  })(error);
  reporter(async () => {
    throw new Error("of the author");
  })(error);
  await new Promise((resolve) => setImmediate(resolve));
});
