import { escapeToken } from "../../support/json-pointer.ts";
import type { SchemaIssue } from "./types.ts";

/**
 * The state of the current validation. Validation is synchronous, so one module-level object serves all schemas, and
 * the checks on the hot path need no extra parameter.
 */
export const run = {
  /**
   * The remaining work in steps of roughly 20 ns. A property, item, reference or alternative costs about one; slower
   * operations charge more. Below zero, every check that charges returns false at once. This limits the cost of `anyOf`
   * over recursive references, which is exponential in the depth of a hostile value, and of schemas that read a large
   * value many times.
   */
  left: 0,
  /** Whether to skip inherited properties of plain objects, because some of them are enumerable. */
  strict: false,
};

/**
 * The work limit of one validation: 20 steps for each item of the largest message (`limits.messageItems`). A schema that
 * looks at each item once stays below it.
 */
export const MAX_WORK = 5_000_000;

/** The steps for enumerating one name: V8 stores a large object as a hash table, and sorts its names each time. */
export const NAME_COST = 8;

/** Charges some steps; returns false if the work limit is exceeded. */
export function charge(steps: number): boolean {
  // Clamped, so that the counter stays a small integer, which V8 stores without an allocation.
  run.left -= Math.min(steps, MAX_WORK + 1) | 0;
  return run.left >= 0;
}

const MAX_ISSUES = 100;
const MAX_NAME = 100;

/**
 * Collects issues: keeps the first 100 and counts the rest. Reports and issues are charged, because a small value can
 * have many of both: each alternative of a union has a report.
 */
export class Report {
  readonly issues: SchemaIssue[] = [];
  count = 0;
  /** The expected type of the value itself, if its type is wrong; not of its parts. */
  expectedType: string | undefined;
  readonly #pointer: string;

  constructor(pointer: string) {
    run.left -= 8;
    this.#pointer = pointer;
  }

  add(pointer: string, message: string): void {
    run.left -= 8;
    // Beyond the work limit every check returns false, so the issue may not be one.
    if (run.left < 0) return;
    this.count++;
    if (this.issues.length < MAX_ISSUES) this.issues.push({ pointer, message });
  }

  addType(pointer: string, type: string): void {
    if (pointer === this.#pointer) this.expectedType = type;
    this.add(pointer, `must be ${type}`);
  }

  /** Adds all issues of another report, with a prefix before each message. */
  merge(other: Report, prefix = ""): void {
    for (const issue of other.issues) this.add(issue.pointer, prefix + issue.message);
    this.count += other.count - other.issues.length;
  }

  /** Returns the issues, and a last one with the number of omitted issues. */
  list(): SchemaIssue[] {
    const omitted = this.count - this.issues.length;
    if (omitted === 0) return this.issues;
    return [...this.issues, { pointer: "", message: `${omitted} more issues are not listed` }];
  }
}

/**
 * Extends an RFC 6901 pointer by one reference token. Long names are truncated: they come from the client, and a name
 * of 10 MB repeated in a hundred issues would make a gigabyte of a small request.
 */
export function childPointer(pointer: string, name: string | number): string {
  run.left -= 4;
  if (typeof name === "number") return `${pointer}/${name}`;
  const token = name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
  run.left -= token.length >> 1;
  return `${pointer}/${escapeToken(token)}`;
}

/** Returns a count with its noun: "1 item", "2 items". */
export function countOf(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`;
}
