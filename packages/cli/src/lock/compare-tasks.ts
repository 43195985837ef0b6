import { type Found, shown } from "./change.ts";
import type { LockedTask } from "./lock-file.ts";

/** Compares whether calls of a tool become tasks. */
export function compareTasks(before: LockedTask | undefined, after: LockedTask | undefined): Found[] {
  const values = { before: nameOf(before), after: nameOf(after) };
  if (after?.required === true && before?.required !== true) {
    return [
      {
        level: "break",
        message: "Clients of 2026-07-28 that do not support tasks are refused.",
        ...values,
        remedy: "Remove required from task, or from @task: such clients then get an ordinary call.",
      },
    ];
  }
  if (after === undefined)
    return before === undefined ? [] : [{ level: "changed", message: "Calls no longer become tasks.", ...values }];
  if (before === undefined)
    return [{ level: "caution", message: "Calls of clients that support tasks become tasks.", ...values }];
  const found: Found[] = [];
  if (before.required && !after.required)
    found.push({ level: "changed", message: "Clients that do not support tasks are accepted.", ...values });
  if (before.ttl !== after.ttl)
    found.push({
      level: after.ttl < before.ttl ? "caution" : "changed",
      message: `Tasks are kept for a ${after.ttl < before.ttl ? "shorter" : "longer"} time.`,
      before: `${shown(before.ttl)} ms`,
      after: `${shown(after.ttl)} ms`,
    });
  return found;
}

function nameOf(task: LockedTask | undefined): string {
  if (task === undefined) return "none";
  return task.required ? "required" : "optional";
}
