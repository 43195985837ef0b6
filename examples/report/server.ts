/**
 * Reports about the sales of a shop. A report takes about two minutes and asks a question in the middle.
 * @module
 */
import { type Context, field } from "proffer";
import { type Month, queryMonth, sum } from "./warehouse.ts";

/** The sales of a year. */
export interface Report {
  readonly year: number;
  readonly orders: number;
  readonly euros: number;
  /** The month with the highest sales. */
  readonly best: string;
  /** The ids of the unusual orders that were left out. */
  readonly leftOut: readonly string[];
}

const NAMES = "January February March April May June July August September October November December".split(" ");

/**
 * Adds up the sales of a year, month by month. After the first half it asks whether to leave out unusual orders.
 * @task ttl 24h poll 2s
 * @requires elicitation
 * @param year - the year. @integer @minimum 2000 @maximum 2100
 */
export async function salesReport(year: number, ctx: Context): Promise<Report> {
  const first = await readMonths(year, 0, 6, ctx);
  const unusual = first.flatMap((month) => month.unusual);
  const answer = await ctx.ask(
    `${unusual.length} orders of the first half of ${year} are unusually large, ${sum(unusual)} EUR in all. Leave such orders out?`,
    { leaveOut: field.boolean({ title: "Leave them out" }) },
  );
  const leavesOut = answer.action === "accept" && answer.content.leaveOut;
  const second = await readMonths(year, 6, 12, ctx);
  return summarize(year, [...first, ...second], leavesOut);
}

/** Each month is a step: after a crash, the months that were read are not read again. */
async function readMonths(year: number, from: number, to: number, ctx: Context): Promise<Month[]> {
  const months: Month[] = [];
  for (let index = from; index < to; index++) {
    const month = `${year}-${String(index + 1).padStart(2, "0")}`;
    ctx.progress(index, NAMES.length, `Reading ${NAMES[index]} ${year}`);
    months.push(await ctx.step(month, (key) => queryMonth(month, key, ctx.signal)));
  }
  return months;
}

function summarize(year: number, months: readonly Month[], leavesOut: boolean): Report {
  const leftOut = leavesOut ? months.flatMap(({ unusual }) => unusual) : [];
  const best = months.reduce((most, month) => (month.euros > most.euros ? month : most));
  return {
    year,
    orders: months.reduce((total, { orders }) => total + orders, 0) - leftOut.length,
    euros: sum(months) - sum(leftOut),
    best: best.month,
    leftOut: leftOut.map(({ id }) => id),
  };
}
