import { Decimal } from "decimal.js";
import { accepts, refused, refuses, returns } from "../expect.ts";

interface Invoice {
  total: Decimal;
  lines: { text: string; price: Decimal | null }[];
  rates: Map<string, Decimal>;
}

/** Converts money. */
export function convert(amount: number, currency: string): Decimal {
  return new Decimal(amount).times(currency.length);
}
accepts(convert, [1.5, "CHF"]);
refuses(convert, ["1.5", "CHF"]);
returns(convert, new Decimal("1e30"), new Decimal("0.1"));

/** Shows an invoice. */
export async function invoice(id: string): Promise<Invoice> {
  throw new Error(id);
}
returns(invoice, {
  total: new Decimal("1.10"),
  lines: [
    { text: "A", price: new Decimal(1) },
    { text: "B", price: null },
  ],
  rates: new Map([["vat", new Decimal("0.081")]]),
});

/** Pays an invoice. */
export function pay(id: string, amount: Decimal): void {
  throw new Error(id + amount);
}
refused(pay, "PF1105");

/** Rounds. */
export function round(value: Decimal.Value, mode: Decimal.Rounding): string {
  return new Decimal(value).toFixed(2, mode);
}
accepts(round, ["1.005", 4], [1.5, 0]);
refuses(round, [true, 4], ["1", 9]);

/** Sets the precision. */
export function configure(config: Pick<Decimal.Config, "precision" | "rounding" | "modulo">): void {
  throw new Error(String(config.precision));
}
accepts(configure, [{}], [{ precision: 20, rounding: 4, modulo: 9 }]);
refuses(configure, [{ rounding: 9 }], [{ precision: "20" }]);
