import type { ColumnType, Generated, Insertable, JSONColumnType, Selectable, Updateable } from "kysely";
import { accepts, cannotReturn, refuses, returns } from "../expect.ts";

interface PersonTable {
  id: Generated<number>;
  /** The full name. */
  name: string;
  gender: "man" | "woman" | "other";
  nickname: string | null;
  created: ColumnType<Date, string | undefined, never>;
  metadata: JSONColumnType<{ login: string; tags: string[] }>;
}

interface Database {
  person: PersonTable;
  pet: { id: Generated<number>; owner: number; species: "cat" | "dog" };
}

/** Shows a person. */
export async function show(id: number): Promise<Selectable<PersonTable> | undefined> {
  throw new Error(String(id));
}
accepts(show, [1]);
refuses(show, ["1"]);
returns(show, undefined, {
  id: 1,
  name: "A",
  gender: "other",
  nickname: null,
  created: new Date(0),
  metadata: { login: "a", tags: [] },
});
cannotReturn(show, { id: 1, name: "A" });

/** Adds a person. */
export function add(person: Insertable<PersonTable>): number {
  throw new Error(person.name);
}
accepts(
  add,
  [{ name: "A", gender: "man", metadata: "{}" }],
  [{ id: 5, name: "A", gender: "man", nickname: "a", metadata: "{}" }],
);
refuses(
  add,
  [{ name: "A", gender: "none", metadata: "{}" }],
  [{ name: "A", gender: "man", metadata: {} }],
  [{ gender: "man", metadata: "{}" }],
);

/** Changes a person. */
export function change(id: number, fields: Updateable<PersonTable>): void {
  throw new Error(id + String(fields.name));
}
accepts(change, [1, {}], [1, { name: "B", nickname: null }]);
refuses(change, [1, { name: null }], [1, { created: "2026-01-01" }]);

/** Lists pets. */
export function pets(species: Database["pet"]["species"], table: keyof Database): Selectable<Database["pet"]>[] {
  throw new Error(species + table);
}
accepts(pets, ["cat", "pet"]);
refuses(pets, ["bird", "pet"], ["cat", "plant"]);
returns(pets, [{ id: 1, owner: 2, species: "dog" }]);
