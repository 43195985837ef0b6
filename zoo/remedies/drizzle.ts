import { getTableColumns } from "drizzle-orm";
import { pgTable, text } from "drizzle-orm/pg-core";
import { gives } from "../expect.ts";

const tasks = pgTable("tasks", { title: text().notNull() });

/** Shows a column. */
export function column(name: string): Pick<typeof tasks.title, "name" | "notNull"> | undefined {
  const found = Object.values(getTableColumns(tasks)).find((each) => each.name === name);
  return found && { name: found.name, notNull: found.notNull };
}
gives(column, ["title"], { name: "title", notNull: true });
