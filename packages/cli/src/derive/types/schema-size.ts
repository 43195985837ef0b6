import { MAX_SCHEMAS } from "proffer/derived";
import { type DerivedSchema, forEachSubschema } from "../model/json-schema.ts";
import { partsOf } from "../model/tool-size.ts";
import { type Definition, type Problem, referredName } from "./conversion.ts";

/** Returns the message for a type with more than `MAX_SCHEMAS` subschemas. */
export function describeSize(subject: string): string {
  const remedy = "Declare a type with only the properties that you use, for example with Pick or Omit.";
  return `${subject} has a type with more than ${MAX_SCHEMAS} subschemas. ${remedy}`;
}

/** Counts the subschemas of a final schema, as the run-time does. */
export function countSchemas(schema: DerivedSchema): number {
  let count = 0;
  function visit(part: DerivedSchema): void {
    // The run-time counts `false` too.
    count += part.additionalProperties === false ? 2 : 1;
    forEachSubschema(part, visit);
  }
  for (const part of [schema, ...Object.values(schema.$defs ?? {})]) visit(part);
  return count;
}

/** The direct content of a schema. */
interface Content {
  /** The number of subschemas without references. */
  readonly size: number;
  /** The numbers of references in its subschemas, by their texts: the run-time gets equal lists only once. */
  readonly lists: ReadonlyMap<string, number>;
  /** The definitions that it refers to. */
  readonly references: ReadonlySet<Definition>;
}

/**
 * Creates a function that converts the definitions that a schema needs, and returns their problems. It stops as soon as
 * there are more subschemas than the run-time accepts. The content of each definition is read once for all functions.
 * @param complete - converts the content of a definition if that has not happened
 */
export function createReach(
  definitions: ReadonlyMap<string, Definition>,
  complete: (definition: Definition) => void,
): (root: DerivedSchema) => Problem[] | "too large" {
  const contents = new Map<Definition, Content>();

  /** Reads a schema. A subschema that occurs at several places is read and counted once. */
  function contentOf(schema: DerivedSchema): Content {
    const references = new Set<Definition>();
    const lists = new Map<string, number>();
    const visited = new Set<DerivedSchema>();
    let size = 0;
    const visit = (part: DerivedSchema): void => {
      if (visited.has(part)) return;
      visited.add(part);
      const definition = definitions.get(referredName(part) ?? "");
      if (definition !== undefined) references.add(definition);
      if (part.$ref === undefined) size++;
      // The run-time counts `false` too.
      if (part.additionalProperties === false) size++;
      const names: string[] = [];
      forEachSubschema(part, (inner) => {
        if (inner.$ref !== undefined) names.push(inner.$ref);
        visit(inner);
      });
      if (names.length > 0) lists.set(names.join(), names.length);
    };
    visit(schema);
    return { size, lists, references };
  }

  /** Returns the problems of the definitions, those near the root first, with the path from the root to each. */
  function problemsOf(root: DerivedSchema): Problem[] {
    const found = new Map<Definition, string>();
    const reached = new Map([[root, ""]]);
    // The map grows while it is read.
    for (const [schema, path] of reached) {
      const definition = definitions.get(referredName(schema) ?? "");
      if (definition && !found.has(definition)) {
        found.set(definition, path);
        if (!reached.has(definition.schema)) reached.set(definition.schema, path);
      }
      for (const { step, schema: inner } of partsOf(schema) as { step: string; schema: DerivedSchema }[]) {
        if (!reached.has(inner)) reached.set(inner, path + step);
      }
    }
    return [...found].flatMap(([{ problems }, path]) => problems.map((problem) => ({ ...problem, path })));
  }

  return (root) => {
    const found = new Set<Definition>();
    // Lists instead of recursion, so that no chain is too long. Those of earlier functions cost nothing, so they are first.
    const known: Definition[] = [];
    const waiting: Definition[] = [];
    const add = (references: Iterable<Definition>) => {
      for (const definition of references) {
        if (!found.has(definition)) (contents.has(definition) ? known : waiting).push(definition);
        found.add(definition);
      }
    };
    add(contentOf(root).references);
    const lists = new Set<string>();
    let hasProblems = false;
    /** The subschemas, at least: one of the references to a definition may become its content. */
    let size = 0;
    for (let next = known.pop() ?? waiting.pop(); next; next = known.pop() ?? waiting.pop()) {
      if (size > MAX_SCHEMAS) return "too large";
      complete(next);
      const content = contents.get(next) ?? contentOf(next.schema);
      contents.set(next, content);
      size += content.size - 1;
      for (const [text, count] of content.lists) {
        if (!lists.has(text)) size += count;
        lists.add(text);
      }
      hasProblems ||= next.problems.length > 0;
      add(content.references);
    }
    return hasProblems ? problemsOf(root) : [];
  };
}
