import { Effect, Option, Schema } from "effect";
import { accepts, cannotReturn, gives, refuses, returns } from "../expect.ts";

const Person = Schema.Struct({
  name: Schema.String,
  age: Schema.optional(Schema.Number),
  tags: Schema.Array(Schema.String),
  role: Schema.Literals(["admin", "member"]),
});
const UserId = Schema.String.pipe(Schema.brand("UserId"));

/** Saves a person. */
export function save(person: typeof Person.Type): typeof UserId.Type {
  throw new Error(person.name);
}
accepts(save, [{ name: "A", tags: [], role: "admin" }], [{ name: "A", age: 5, tags: ["x"], role: "member" }]);
refuses(
  save,
  [{ name: "A", tags: [] }],
  [{ name: "A", tags: [5], role: "admin" }],
  [{ name: "A", tags: [], role: "owner" }],
);
returns(save, "a" as never);

/** Shows a person. */
export async function show(id: typeof UserId.Type): Promise<typeof Person.Encoded | null> {
  throw new Error(id);
}
accepts(show, ["a" as never]);
refuses(show, [5]);
returns(show, null, { name: "A", tags: ["x"], role: "admin" });
cannotReturn(show, { name: "A" });

/** Finds a person. */
export function find(name: string): Option.Option<string> {
  throw new Error(name);
}
returns(find, Option.none(), Option.some("A"));

/** Runs a program. */
export function run(name: string): Effect.Effect<string, Error> {
  throw new Error(name);
}
returns(run, Effect.succeed("A"));

/** Decodes a person. */
export function decode(value: unknown): Option.Option<typeof Person.Type> {
  return Schema.decodeUnknownOption(Person)(value);
}
gives(decode, [{ name: "A", tags: [], role: "admin" }]);
gives(decode, [{}]);
