import { defineTool, UsageError } from "proffer";
import { expect, it } from "vitest";

const define = (task: unknown) => defineTool({ name: "report", task: task as true, handle: () => "" });

it.each([
  ["yes", 'task must be true, "required" or options such as { ttl: 1000 }, not "yes"'],
  [2000, "task must be true"],
  [null, "task must be true"],
  [[1000], "task must be true"],
  [{ tll: 1000 }, 'task has no option "tll"'],
  [{ ttl: 0 }, "task.ttl must be a positive whole number of milliseconds, not 0"],
  [{ ttl: "1h" }, "task.ttl must be a positive whole number of milliseconds, not 1h"],
  [{ ttl: 1e300 }, "task.ttl must be a positive whole number"],
  [{ ttl: Number.POSITIVE_INFINITY }, "task.ttl must be a positive whole number"],
  [{ pollInterval: 0.5 }, "task.pollInterval must be a positive whole number of milliseconds, not 0.5"],
  [{ after: -1 }, "task.after must be milliseconds or Infinity, not -1"],
  [{ after: null }, "task.after must be milliseconds or Infinity, not null"],
  [{ after: "2s" }, "task.after must be milliseconds or Infinity, not 2s"],
  [{ after: Number.NaN }, "task.after must be milliseconds or Infinity, not NaN"],
  [{ polling: true }, 'task.polling must be "auto", "always" or false, not true'],
  [{ required: "yes" }, "task.required must be true or false, not yes"],
])("rejects the option task: %j", (task, message) => {
  expect(() => define(task)).toThrow(UsageError);
  expect(() => define(task)).toThrow(`Tool "report": ${message}`);
});

it("takes options that are undefined for absent", () => {
  const defaults = { after: 0, ttl: 3_600_000, pollInterval: 1000, required: false, polling: false };
  expect(define({ ttl: undefined, after: undefined }).task).toEqual(defaults);
  expect(define(true).task).toEqual(defaults);
  expect(define("required").task).toEqual({ ...defaults, required: true });
  expect(define(false).task).toBeUndefined();
});
