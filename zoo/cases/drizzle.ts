import type { InferSelectModel } from "drizzle-orm";
import { bigint, boolean, integer, jsonb, numeric, pgEnum, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";
import { accepts, cannotReturn, refused, refuses, returns } from "../expect.ts";

const state = pgEnum("state", ["open", "done"]);

const tasks = pgTable("tasks", {
  id: integer().primaryKey().generatedAlwaysAsIdentity(),
  key: uuid().notNull().defaultRandom(),
  title: text().notNull(),
  state: state().notNull().default("open"),
  price: numeric(),
  views: bigint({ mode: "bigint" }).notNull(),
  tags: text().array(),
  data: jsonb().$type<{ color?: string; size: [number, number] }>(),
  urgent: boolean().default(false),
  due: timestamp({ withTimezone: true }),
  day: timestamp({ mode: "string" }),
});

/** Lists tasks. */
export async function list(states?: (typeof state.enumValues)[number][]): Promise<(typeof tasks.$inferSelect)[]> {
  throw new Error(String(states));
}
accepts(list, [], [["open"]], [["open", "done"]]);
refuses(list, [["closed"]], ["open"]);
returns(list, [
  {
    id: 1,
    key: "k",
    title: "A",
    state: "open",
    price: "1.5",
    views: 5n,
    tags: ["x"],
    data: { size: [1, 2] },
    urgent: null,
    due: new Date(0),
    day: "2026-01-01",
  },
]);
cannotReturn(list, [{ id: 1 }]);

/** Adds a task. */
export function add(task: typeof tasks.$inferInsert): InferSelectModel<typeof tasks>["id"] {
  throw new Error(task.title);
}
accepts(
  add,
  [{ title: "A", views: 0n }],
  [{ title: "A", views: 1n, due: new Date(0), data: { size: [1, 2], color: "red" }, price: null }],
);
refuses(
  add,
  [{ title: "A" }],
  [{ title: "A", views: 0n, data: { size: [1] } }],
  [{ title: "A", views: 0n, state: "closed" }],
);
returns(add, 5);

/** Changes a task. */
export function change(id: number, fields: Partial<typeof tasks.$inferInsert>): void {
  throw new Error(id + String(fields.title));
}
accepts(change, [1, {}], [1, { tags: ["a", "b"], urgent: true }]);
refuses(change, [1, { tags: "a" }], [1, { titel: "A" }]);

/** Shows a column. */
export function column(name: string): typeof tasks.title {
  throw new Error(name);
}
refused(column, "PF1102", "PF1105", "PF1107");
