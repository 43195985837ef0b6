import type ts from "typescript";
import { checkTags, type KnownTag, readTag, reportRepeated, type TagReporter } from "../comments/check-tags.ts";
import { isValueTag } from "../comments/function-comment.ts";
import type { Described, Entry } from "../comments/tag.ts";
import type { Analysis } from "./analysis.ts";
import type { Candidate } from "./exports.ts";

/** Returns the candidate with the name of its tag `@name`, if it has one. */
export function renamed(candidate: Candidate): Candidate {
  const { tags } = candidate.doc;
  const reporter = { subject: "", report() {} };
  const [known] = checkTags(reporter, { text: "", tags: tags.filter(({ name }) => name === "name") }, "tool");
  const name = known && (readTag(known, reporter) as string | undefined);
  return name === undefined ? candidate : { ...candidate, name };
}

/**
 * Reads the tags of a function that set members of its manifest entry, and reports the mistakes in all of its tags.
 * `isBroken`: there was an error, so the function must not be served.
 */
export function readEntry(analysis: Analysis, { name, node, doc }: Candidate, described: Described) {
  const reporter = reporterFor(analysis, `'${name}'`, node);
  const before = analysis.diagnostics.length;
  // describe.ts reports the tags of values that no parameter is before.
  const own = { ...doc, tags: doc.tags.filter((tag) => !isValueTag(tag)) };
  const tags = checkTags(reporter, own, described);
  const entry = tags.reduce<Entry>((entry, known) => {
    const { entry: toEntry, name: tag } = known.tag;
    if (toEntry === undefined && tag !== "name") return entry;
    const value = readTag(known, reporter);
    return value === undefined || toEntry === undefined ? entry : merge(reporter, known, entry, toEntry(value));
  }, {});
  checkTask(reporter, entry, tags);
  return { entry, isBroken: analysis.diagnostics.slice(before).some(({ severity }) => severity === "error") };
}

/** Returns the reporter of the mistakes in the tags of a comment. */
export function reporterFor(analysis: Analysis, subject: string, node: ts.Node): TagReporter {
  return {
    subject,
    report(code, message, place) {
      // The author cannot fix the comments of a package whose function is exported again.
      if (analysis.origins.isProject(place?.file ?? node.getSourceFile()))
        analysis.report(code, place ?? node, message);
    },
  };
}

/** Reports a task that can never begin: the time limit ends the call before. */
function checkTask(reporter: TagReporter, { task, timeout }: Entry, tags: readonly KnownTag[]): void {
  if (typeof task?.after !== "number" || timeout === undefined || task.after < timeout) return;
  const place = tags.find(({ tag }) => tag.name === "task")?.found.place;
  const message = `${reporter.subject}: @task waits ${task.after} ms for a plain result, but @timeout ends the call after ${timeout} ms, before it can become a task.`;
  reporter.report("PF1251", message, place);
}

/** Adds members to an entry: lists are joined, objects are merged. A key that is already set counts as repeated. */
function merge(reporter: TagReporter, { found }: KnownTag, entry: Entry, more: Entry): Entry {
  const merged: { [member: string]: unknown } = { ...entry };
  for (const [member, value] of Object.entries(more)) {
    const earlier = merged[member];
    if (earlier === undefined) merged[member] = value;
    else if (Array.isArray(earlier)) merged[member] = [...new Set([...earlier, ...(value as unknown[])])];
    else if (Object.keys(value).some((key) => Object.hasOwn(earlier as object, key))) reportRepeated(reporter, found);
    else merged[member] = { ...(earlier as object), ...(value as object) };
  }
  return merged as Entry;
}
