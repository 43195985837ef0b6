import type { Plan } from "proffer/derived";
import type { DocTag } from "../comments/doc-comment.ts";
import { ARGUMENT_NAME } from "../comments/grammars.ts";
import type { Converted, Problem } from "../model/conversion.ts";
import type { TextPlace } from "../model/text-place.ts";

/** The names of arguments that the tag `@as` changes. */
export class ArgumentNames {
  readonly #used = new Set<TextPlace | undefined>();
  readonly #taken: Set<string>;

  /** `own` are the names in the code. */
  constructor(own: Iterable<string>) {
    this.#taken = new Set(own);
  }

  /** Returns the name of an argument in the schema: the one of its tag, unless another argument has that name. */
  shown(own: string, tags: readonly DocTag[]): string {
    const tag = tags.find(({ name }) => name === "as");
    const parsed = tag && ARGUMENT_NAME.parse(tag.text, {});
    if (typeof parsed !== "object" || !("value" in parsed) || this.#taken.has(parsed.value)) return own;
    this.#taken.add(parsed.value);
    this.#used.add(tag?.place);
    return parsed.value;
  }

  /** Returns the problems without the reports of tags that have an effect here. */
  unsolved(problems: readonly Problem[]): Problem[] {
    return problems.filter(({ code, node }) => code !== "PF2031" || !this.#used.has(node as TextPlace));
  }
}

/** Returns an object type whose properties have other names. `names` maps the names in the code to those in the schema. */
export function renameProperties({ schema, plan }: Converted, names: ReadonlyMap<string, string>): Converted {
  const shown = (name: string) => names.get(name) ?? name;
  const { properties, required } = schema;
  return {
    schema: {
      ...schema,
      ...(properties && { properties: renameKeys(properties, shown) }),
      ...(required && { required: required.map(shown) }),
    },
    ...(plan && { plan: renamePlan(plan, shown) }),
  };
}

function renamePlan(plan: Plan, shown: (name: string) => string): Plan {
  return plan.kind === "object" && plan.properties ? { ...plan, properties: renameKeys(plan.properties, shown) } : plan;
}

function renameKeys<Value>(map: { readonly [key: string]: Value }, shown: (name: string) => string) {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [shown(key), value]));
}
