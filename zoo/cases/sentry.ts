import type { Breadcrumb, Event, SeverityLevel, StackFrame, User } from "@sentry/core";
import { accepts, cannotReturn, refuses, returns, says } from "../expect.ts";

/** Leaves a breadcrumb. */
export function leave(breadcrumb: Breadcrumb, level?: SeverityLevel): void {
  throw new Error(String(breadcrumb.message) + level);
}
accepts(leave, [{}], [{ type: "http", level: "info", data: { url: "a", any: [1] }, timestamp: 5 }, "fatal"]);
refuses(leave, [{ level: "loud" }], [{ timestamp: "5" }], [{}, "loud"]);
says(leave, "The type of breadcrumb.");

/** Shows a frame. */
export function frame(index: number): StackFrame {
  throw new Error(String(index));
}
returns(frame, { filename: "a.js", lineno: 5, in_app: true, vars: { x: [1] } });
cannotReturn(frame, { lineno: "5" });

/** Sets the user. */
export function setUser(user: User | null): User | null {
  return user;
}
accepts(setUser, [null], [{ id: 5, email: "a", custom: { plan: "x" } }]);
refuses(setUser, [{ email: 5 }], ["a"]);
returns(setUser, null, { id: "a", geo: { city: "Bern" } });

/** Lists events. */
export async function events(query: string): Promise<Pick<Event, "event_id" | "level" | "tags" | "breadcrumbs">[]> {
  throw new Error(query);
}
returns(events, [{ event_id: "e", level: "error", tags: { a: 1, b: true, c: null }, breadcrumbs: [{ message: "m" }] }]);
cannotReturn(events, [{ level: "loud" }]);
