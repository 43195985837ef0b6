import type { DerivedSchema } from "../model/json-schema.ts";
import { withParagraph } from "./keywords.ts";

/** The longest list; an enum of a library may have hundreds of members. */
const MAX_LIST = 2000;
const LIST = /(?:^|\n\n)(Values:(?:\n- .*)+)/;

/** A value of a closed set, and its description. */
export interface DescribedValue {
  readonly value: string | number | boolean;
  readonly text: string;
}

/** Returns the schema of a closed set of values with their descriptions. Values without one are left out. */
export function withValueList(schema: DerivedSchema, values: readonly DescribedValue[]): DerivedSchema {
  let list = "Values:";
  for (const { value, text } of values) {
    const line = `\n- ${value}: ${text.replace(/\s+/g, " ")}`;
    if (list.length + line.length > MAX_LIST) {
      list += "\n- …";
      break;
    }
    list += line;
  }
  return values.length === 0 ? schema : { ...schema, description: withParagraph(schema.description, list) };
}

/** Returns a description for a schema. Unlike other descriptions, a list of values is kept: it is about the type. */
export function keepingValues({ enum: values, description }: DerivedSchema, text: string): string {
  const [, list] = (values && LIST.exec(description ?? "")) ?? [];
  return list === undefined ? text : withParagraph(text, list);
}
