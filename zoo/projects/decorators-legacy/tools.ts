import "reflect-metadata";

const types = new Map<string, string>();
function column(target: object, name: string): void {
  types.set(name, Reflect.getMetadata("design:type", target, name).name);
}

class Item {
  @column name!: string;
  @column count!: number;
  @column since!: Date;
  constructor(public id: number) {}
}

/** Shows the types of the columns. */
export function columns(): Map<string, string> {
  return types;
}

/** Shows an item. */
export function item(id: number): Item {
  return Object.assign(new Item(id), { name: "A", count: 1, since: new Date(0) });
}
