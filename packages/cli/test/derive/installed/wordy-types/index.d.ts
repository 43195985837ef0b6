// biome-ignore-all lint/suspicious/noExplicitAny: a package may have it
/**
 * @license MIT
 * Copyright of somebody.
 */
/**
 * Creates a tagged type. A page about branding explains why.
 *
 * @example
 * ```
 * type AccountNumber = Tagged<number, "AccountNumber">;
 * ```
 * @category Type
 */
export type Tagged<Type, Tag> = Type & { readonly __tag?: Tag };

/** Makes all keys optional. It is about the utility, not about the value. */
export type Loose<Type> = { [Key in keyof Type]?: Type[Key] };

/** A customer. */
export interface Customer {
  /**
   * The name of the customer, see the [guide to names](https://example.com/names#customers).
   *
   * ```ts
   * customer.name = "Ada";
   * ```
   *
   * @example
   * "Ada"
   * @remarks Remarks of a library are for the readers of its site.
   */
  name: string;
  /**
   * The state of the customer. It is one of the states that the dashboard shows. It changes when an invoice is paid.
   *
   * The second paragraph explains in many words how the state came to be, which accounts have it, since when they have
   * it, and where in the dashboard an administrator can change it for a whole group of customers at once.
   *
   * The third paragraph repeats the second.
   */
  state: "active" | "closed";
  /**
   * One paragraph that has no end: it begins with a sentence. It goes on with another sentence, which is much longer than
   * the first one and has several clauses, one after the other. Then it says something that a model need not know, such
   * as the history of the property and its former names. Finally it thanks the reader.
   */
  story?: string;
  /** @deprecated Use `state`. */
  closed?: boolean;
  /** @default 5 prose of a library */
  limit?: number;
  /** @default "five" */
  wrong?: number;
}

/**
 * @name addDays
 * @category Day Helpers
 * @summary Adds days.
 *
 * @description
 * Adds days.
 *
 * @param day - The day
 * @param count - The count
 *
 * @example
 * // Adds ten days:
 * const result = addDays("2014-09-01", 10)
 */
export function addDays(day: string, amount: number): string;

export function bare(): void;

export interface Payload {
  metadata: any;
  raw: any;
  nested: { value: any };
}
