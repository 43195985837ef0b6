/**
 * Functions whose parameters have unions within them, in the forms that authors write. Each returns its arguments.
 * @module
 */

type Payment = { kind: "card"; card: string } | { kind: "transfer"; iban: string };

interface Parcel {
  by: "parcel";
  street: string;
  city: string;
  floor?: number;
}
interface Locker {
  by: "locker";
  station: number;
  code: string;
  days: number;
}
interface Pickup {
  by: "pickup";
  shop: string;
  from: Date;
  note?: string;
}

/** Pays an order. */
export function pay(order: string, payment: Payment): string {
  return JSON.stringify({ order, payment });
}

/** Refunds an order. */
export function refund(order: string, to: Payment | null): string {
  return JSON.stringify({ order, to });
}

/** Ships an order. */
export function ship(order: string, to: Parcel | Locker | Pickup): string {
  return JSON.stringify({ order, to });
}

/** Draws shapes. */
export function draw(shapes: ({ shape: "circle"; radius: number } | { shape: "square"; side: number })[]): string {
  return JSON.stringify({ shapes });
}

/** Moves the cursor. */
export function move(by: number | "start" | "end"): string {
  return JSON.stringify({ by });
}

/** Filters orders. */
export function filter(state: "open" | "closed", size: 1 | 2 | 3 = 1): string {
  return JSON.stringify({ state, size });
}

/** Imports a file. */
export function read(file: { version: 1; lines: string[] } | { version: 2; pages: number }): string {
  return JSON.stringify({ file });
}

/** Rates an order. */
export function rate(rating: { rated: { by: "stars"; stars: number } | { by: "words"; words: string } }): string {
  return JSON.stringify({ rating });
}
