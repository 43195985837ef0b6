import { type CronDate, CronExpressionParser, type CronFieldCollection } from "cron-parser";
import { gives } from "../expect.ts";

/** Shows the next times of a job. */
export function next(expression: string, from: Date, count: number): CronDate[] {
  return CronExpressionParser.parse(expression, { currentDate: from, tz: "UTC" }).take(count);
}
gives(next, ["0 * * * *", new Date(0), 2], ["1970-01-01T01:00:00.000Z", "1970-01-01T02:00:00.000Z"]);

/** Explains an expression. */
export function explain(expression: string): Pick<ReturnType<CronFieldCollection["serialize"]>, "hour"> {
  const { hour } = CronExpressionParser.parse(expression).fields.serialize();
  return { hour };
}
gives(explain, ["0 5 * * *"], { hour: { wildcard: false, values: [5] } });
