import { type Either, tryCatch } from "fp-ts/lib/Either.js";
import { fromNullable, type Option } from "fp-ts/lib/Option.js";
import { both, type These } from "fp-ts/lib/These.js";
import { gives, refuses } from "../expect.ts";

/** Reads JSON. */
export function read(text: string): Either<Error, { id: number }> {
  return tryCatch(
    () => JSON.parse(text),
    () => new TypeError("not JSON"),
  );
}
gives(read, ['{"id":1}'], { _tag: "Right", right: { id: 1 } });
gives(read, ["{"], { _tag: "Left", left: { name: "TypeError", message: "not JSON" } });

/** Finds a letter. */
export function find(text: string, letter: string): Option<Date> {
  return fromNullable(text.includes(letter) ? new Date(0) : null);
}
gives(find, ["a", "a"], { _tag: "Some", value: "1970-01-01T00:00:00.000Z" });
gives(find, ["a", "b"], { _tag: "None" });

/** Reads with warnings. */
export async function warn(these: These<string, number>): Promise<These<string[], number>> {
  return both(["old"], these._tag === "Left" ? 0 : these.right);
}
gives(warn, [{ _tag: "Right", right: 5 }], { _tag: "Both", left: ["old"], right: 5 });
refuses(warn, [{ _tag: "Right" }], [{ _tag: "Middle", right: 5 }]);
