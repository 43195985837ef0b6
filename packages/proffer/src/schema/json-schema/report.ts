import type { SchemaIssue } from "./types.ts";

const MAX_ISSUES = 100;
const MAX_NAME = 100;

/** Collects issues: the first hundred are kept, the rest counted. */
export class Report {
  readonly issues: SchemaIssue[] = [];
  count = 0;
  /** The type that the value as a whole, not a part of it, should have had. */
  expectedType: string | undefined;
  readonly #pointer: string;

  constructor(pointer: string) {
    this.#pointer = pointer;
  }

  add(pointer: string, message: string): void {
    this.count++;
    if (this.issues.length < MAX_ISSUES) this.issues.push({ pointer, message });
  }

  addType(pointer: string, type: string): void {
    if (pointer === this.#pointer) this.expectedType = type;
    this.add(pointer, `must be ${type}`);
  }

  /** Takes over all issues of another report, each message with a prefix. */
  merge(other: Report, prefix = ""): void {
    for (const issue of other.issues) this.add(issue.pointer, prefix + issue.message);
    this.count += other.count - other.issues.length;
  }

  /** The issues, with a last one that says how many were not kept. */
  list(): SchemaIssue[] {
    const omitted = this.count - this.issues.length;
    if (omitted === 0) return this.issues;
    return [...this.issues, { pointer: "", message: `${omitted} more issues are not listed` }];
  }
}

/**
 * Extends an RFC 6901 pointer by one reference token. Long names are cut: they come from the other side, and a name of
 * 10 MB repeated in a hundred issues would make a gigabyte of a small request.
 */
export function childPointer(pointer: string, name: string | number): string {
  if (typeof name === "number") return `${pointer}/${name}`;
  const token = name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
  return `${pointer}/${escapeToken(token)}`;
}

/** Escapes a name for use as one token of an RFC 6901 pointer. */
export function escapeToken(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
