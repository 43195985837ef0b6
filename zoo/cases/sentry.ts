import type { Breadcrumb, Event, SeverityLevel, StackFrame, User } from "@sentry/core";
import { accepts, cannotReturn, refuses, returns, says } from "../expect.ts";

/** Leaves a breadcrumb. */
export function leave(breadcrumb: Breadcrumb, level?: SeverityLevel): void {
  throw new Error(String(breadcrumb.message) + level);
}
accepts(leave, [{}], [{ type: "http", level: "info", data: { url: "a", any: [1] }, timestamp: 5 }, "fatal"]);
refuses(leave, [{ level: "loud" }], [{ timestamp: "5" }], [{}, "loud"]);
says(leave, "all breadcrumbs are recorded as default");

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
export async function events(query: string): Promise<Pick<Event, "event_id" | "level" | "breadcrumbs">[]> {
  throw new Error(query);
}
returns(events, [{ event_id: "e", level: "error", breadcrumbs: [{ message: "m" }] }]);
cannotReturn(events, [{ level: "loud" }]);

/**
 * Captures a message.
 * @param message The text.
 * @param {SeverityLevel} [level=info] How bad it is.
 * @return The id of the event, or undefined.
 */
export function capture(message: string, level: SeverityLevel = "info"): string | undefined {
  return message + level;
}
accepts(capture, ["a"], ["a", "debug"]);
refuses(capture, ["a", "loud"], []);
returns(capture, "e", undefined);

/** Shows the details of an event. */
export function details(id: string): Record<string, unknown> {
  throw new Error(id);
}
returns(details, {
  at: new Date(0),
  seen: new Set([1]),
  by: new Map([["a", 1]]),
  n: 5n,
  link: new URL("https://example.org/"),
});

/** Tags an event. */
export function tag(id: string, tags: NonNullable<Event["tags"]>): void {
  throw new Error(id + Object.keys(tags));
}
accepts(tag, ["a", { b: 1, c: "d", e: null }]);
refuses(tag, ["a", { b: {} }]);
