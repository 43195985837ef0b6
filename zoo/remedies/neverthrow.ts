import { ok, ResultAsync } from "neverthrow";
import { gives } from "../expect.ts";

type Plain<T> = { ok: true; value: T } | { ok: false; error: Error };

/** Reads a setting. */
export function read(name: string): Plain<string> {
  return ok<string, Error>(name).match<Plain<string>>(
    (value) => ({ ok: true, value }),
    (error) => ({ ok: false, error }),
  );
}
gives(read, ["a"], { ok: true, value: "a" });

/** Loads a setting. */
export async function load(name: string): Promise<Plain<string>> {
  return ResultAsync.fromPromise<string, Error>(Promise.reject(new Error(name)), (error) => error as Error).match<
    Plain<string>
  >(
    (value) => ({ ok: true, value }),
    (error) => ({ ok: false, error }),
  );
}
gives(load, ["a"], { ok: false, error: { name: "Error", message: "a" } });
