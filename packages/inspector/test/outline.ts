import type { Field } from "../src/page/form/field.ts";

/** Describes a field and its children, to a depth, for comparison. */
export function outline(field: Field, depth = 4): unknown {
  const mark = (text: string) => `${text}${field.nullable ? " | null" : ""}`;
  if (depth === 0) return "…";
  switch (field.kind) {
    case "text":
      return mark(field.area ? "area" : `line${field.format === undefined ? "" : ` ${field.format}`}`);
    case "number":
      return mark(field.integer ? "integer" : "number");
    case "choice":
      return mark(`choice ${field.choices.map(({ label }) => label).join(",")}`);
    case "array": {
      const prefix = field.prefix.map((item) => outline(item(), depth - 1));
      const rest = field.items === undefined ? [] : ["*", outline(field.items(), depth - 1)];
      return [...prefix, ...rest, ...(field.nullable ? ["| null"] : [])];
    }
    case "object": {
      const entries = field.properties.map(({ name, required, field: later }): [string, unknown] => [
        required ? `${name}!` : name,
        outline(later(), depth - 1),
      ]);
      if (field.extra !== undefined) entries.push(["*", outline(field.extra(), depth - 1)]);
      return Object.fromEntries(entries);
    }
    case "union":
      return {
        [mark(field.tag === undefined ? "union" : `union by ${field.tag.name}`)]: Object.fromEntries(
          field.branches.map(({ label, field: later }) => [label, outline(later(), depth - 1)]),
        ),
      };
    case "json":
      return mark(field.reason === undefined ? "json" : `json: ${field.reason}`);
    default:
      return mark(field.kind);
  }
}
