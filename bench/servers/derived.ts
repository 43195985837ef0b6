/**
 * Echoes a message.
 * @param message - the text to give back
 */
export async function echo(message: string): Promise<string> {
  return message;
}

interface Item {
  /** @integer */
  id: number;
  name: string;
  tags: string[];
  pos: { x: number; y: number };
  active: boolean;
}

/**
 * Sums a list of items.
 * @param items - the items
 */
export async function nested(items: Item[]): Promise<string> {
  return `${items.length} items, sum ${items.reduce((sum, item) => sum + item.pos.x, 0)}`;
}

/**
 * One item.
 * @resource item://{id}
 * @mimeType text/plain
 * @param id - which one
 */
export async function item(id: string): Promise<string> {
  return `item ${id}`;
}
