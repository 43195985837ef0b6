import type { Observable, ObservedValueOf, RetryConfig, Timestamp } from "rxjs";
import { accepts, refused, refuses, returns } from "../expect.ts";

/** Shows when a value came. */
export function last(name: string): Timestamp<{ value: number }> {
  throw new Error(name);
}
accepts(last, ["a"]);
returns(last, { timestamp: 5, value: { value: 1 } });

/** Reads a value. */
export const read = (count: number): ObservedValueOf<Observable<{ n: number }>> => ({ n: count });
accepts(read, [5]);
refuses(read, ["5"]);
returns(read, { n: 1 });

/** Streams values. */
export function stream(name: string): Observable<number> {
  throw new Error(name);
}
refused(stream, "PF1104", "PF1105");

/** Retries. */
export function retry(config: Pick<RetryConfig, "count" | "resetOnSuccess">): void {
  throw new Error(String(config.count));
}
accepts(retry, [{}], [{ count: 3, resetOnSuccess: true }]);
refuses(retry, [{ count: "3" }]);

/** Retries after a delay. */
export function retryAfter(config: RetryConfig): void {
  throw new Error(String(config.count));
}
accepts(retryAfter, [{}], [{ count: 3, delay: 5 }]);
refuses(retryAfter, [{ count: "3" }]);

/** Groups values by name. */
export const byName = (names: readonly string[]): ReadonlyMap<string, readonly Timestamp<number>[]> =>
  new Map(names.map((name) => [name, []]));
accepts(byName, [["a"]]);
refuses(byName, ["a"]);
returns(byName, new Map([["a", [{ value: 1, timestamp: 2 }]]]));
