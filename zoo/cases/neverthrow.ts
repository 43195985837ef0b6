import { ok, type Result, ResultAsync } from "neverthrow";
import { gives, refused } from "../expect.ts";

/** Divides. */
export function divide(a: number, b: number): number {
  return ok<number, string>(a / b).unwrapOr(0);
}
gives(divide, [6, 3], 2);

/** Reads a setting. */
export function read(name: string): Result<string, Error> {
  return ok(name);
}
refused(read, "PF1102", "PF1105");

/** Loads a setting. */
export function load(name: string): ResultAsync<string, Error> {
  return ResultAsync.fromSafePromise(Promise.resolve(name));
}
refused(load, "PF1102", "PF1104", "PF1105");
