import {
  elementsOf,
  isUnknown,
  type Member,
  membersOfObject,
  type PlainObject,
  type Reference,
  type Tuple,
  type TypeCase,
  type TypeTree,
  withoutUndefined,
} from "./type-tree.ts";

/**
 * How a type is written. `source` is the author's module. `input` and `output` are the same type with the differences
 * that are there by design, so that TypeScript's verdict on it is the expected one:
 * - JSON has no undefined: a property that may be undefined is optional. An element that is undefined is null in a
 *   result, as `JSON.stringify` writes it; in arguments there is none. Unknown includes undefined.
 * - A number in a template literal is written as JSON writes it. TypeScript also accepts `.5`, `0x1` or ` 1`; the values
 *   have no such texts.
 * - An enum member is its value, and a brand exists only for the compiler.
 * - An array, a primitive or an instance of a class is not a JSON object, though TypeScript accepts it as one if it has
 *   the properties; and TypeScript refuses an object without any property of a type with only optional ones. So each
 *   object has the property `MARK`, in the types and in the values.
 */
export type View = "source" | "input" | "output";

const ABSENT = { source: " | undefined", input: "", output: " | null" };

/** The property of every JSON object in the types that are compared. It is `any`, to fit every index signature. */
export const MARK = '"~": any';

/** The declarations that all cases use. */
export const SOURCE_PRELUDE = `enum Level { Low, High = 5 }
enum Color { Red = "red", Blue = "blue" }
type Port = number & { readonly brand: "Port" };
declare const named: unique symbol;
type Name = string & { readonly [named]: true };
interface Box<T> { value: T; more?: Box<T>[] }`;

/** The same for TypeScript's verdicts. A brand of the URL: no object of another class is one. */
export const ORACLE_PRELUDE = `type Level = 0 | 5;
type Color = "red" | "blue";
type Port = number;
type Name = string;
interface Box<T> { ${MARK}; value: T; more?: Box<T>[] }
declare class URL { #href: string; }`;

const ELEMENTARY: { readonly [kind: string]: string } = {
  date: "Date",
  url: "URL",
  bytes: "Uint8Array",
  level: "Level",
  color: "Color",
  port: "Port",
  name: "Name",
};

// biome-ignore lint/suspicious/noTemplateCurlyInString: it is a type
const KEYS = { string: "string", number: "number", template: "`k-${string}`", names: '"b" | "a"', date: "Date" };

/** Returns the name of a case's type. */
export function nameOf(number: number, view: View): string {
  return `T${idOf(number, view)}`;
}

function idOf(number: number, view: View): string {
  return view === "source" ? String(number) : `${number}_${view}`;
}

/** Writes the declarations of a case, and its type. */
export function writeCase({ type, declarations }: TypeCase, number: number, view: View): string[] {
  const id = idOf(number, view);
  const declared = declarations.map(({ form, members, extends: isExtended }, index) => {
    const base = isExtended ? `N0_${id}` : undefined;
    const body = object(members.map(withoutUndefined));
    if (form === "interface") return `interface N${index}_${id}${base ? ` extends ${base}` : ""} ${body}`;
    return `type N${index}_${id} = ${base ? `${base} & ` : ""}${body};`;
  });
  return [...declared, `type ${nameOf(number, view)} = ${write(type)};`];

  function write(tree: TypeTree): string {
    switch (tree.kind) {
      case "literal":
        return JSON.stringify(tree.value);
      case "template":
        return `\`${escapeTemplate(tree.before)}\${${tree.hole}}${escapeTemplate(tree.after)}\``;
      case "array": {
        const item = `${write(tree.of)}${tree.orUndefined ? ABSENT[view] : ""}`;
        return tree.readonly ? `readonly (${item})[]` : `(${item})[]`;
      }
      case "tuple":
        return tuple(tree);
      case "object":
        return object(tree.members);
      case "indexed": {
        const members = tree.members.map((member) => ({ ...member, optional: false, orUndefined: false }));
        const values = [...members.map(({ of }) => of), tree.of].map((of) => `(${write(of)})`);
        return object(members, [`[key: string]: ${values.join(" | ")}`]);
      }
      case "record":
        return marked(`Record<${KEYS[tree.keys]}, ${write(tree.of)}>`);
      case "union":
        return `(${tree.of.map(write).join(" | ")})`;
      case "tagged":
        return `(${tree.of.map((members, index) => object([tagOf(index), ...members])).join(" | ")})`;
      case "intersection":
        return `(${object(tree.left)} & ${object(tree.right)})`;
      case "utility":
        return utility(tree);
      case "set":
        return `Set<${write(tree.of)}>`;
      case "map":
        return `Map<${KEYS[tree.keys]}, ${write(tree.of)}>`;
      case "box":
        return `Box<${write(tree.of)}>`;
      case "reference":
        return `N${tree.to}_${id}`;
      default:
        return ELEMENTARY[tree.kind] ?? tree.kind;
    }
  }

  function object(members: readonly Member[], more: readonly string[] = []): string {
    const texts = members.map(({ name, optional, orUndefined, of }) => {
      const isAbsent = view !== "source" && (orUndefined || (view === "output" && isUnknown(of)));
      const absent = view === "source" && orUndefined && !optional ? ABSENT.source : "";
      return `${JSON.stringify(name)}${optional || isAbsent ? "?" : ""}: ${write(of)}${absent}`;
    });
    return `{ ${[...(view !== "source" ? [MARK] : []), ...texts, ...more].join("; ")} }`;
  }

  function tuple(tree: Tuple): string {
    const { required, optional, rest, last } = elementsOf(tree);
    return `[${[
      ...required.map(write),
      ...optional.map((item) => `(${write(item)}${view === "output" ? ABSENT.output : ""})?`),
      ...rest.map((item) => `...(${write(item)})[]`),
      ...last.map(write),
    ].join(", ")}]`;
  }

  function utility({ name, of, picks }: Extract<TypeTree, { kind: "utility" }>): string {
    const inner = of.kind === "object" ? object(of.members.map(withoutUndefined)) : write(of);
    const names = pickedNames(of, picks, declarations);
    const keys = names.map((key) => JSON.stringify(key)).join(" | ") || "never";
    switch (name) {
      case "Partial":
        return marked(`Partial<${inner}>`);
      case "Pick":
        return marked(`Pick<${inner}, ${keys}>`);
      case "Omit":
        return `Omit<${inner}, ${keys}>`;
      case "mapped":
        return `{ [Key in keyof ${inner}]: ${inner}[Key] }`;
      case "optional":
        return marked(`{ readonly [Key in keyof ${inner}]?: ${inner}[Key] }`);
      default:
        return `${name}<${inner}>`;
    }
  }

  /** Adds the mark to an object type that has lost it. */
  function marked(text: string): string {
    return view !== "source" ? `(${text} & { ${MARK} })` : text;
  }
}

/** Returns the names that `Pick` or `Omit` mentions. */
export function pickedNames(
  of: PlainObject | Reference,
  picks: readonly number[],
  declarations: TypeCase["declarations"],
): string[] {
  const names = membersOfObject(of, declarations).map(({ name }) => name);
  return [...new Set(picks.flatMap((pick) => names[pick % Math.max(names.length, 1)] ?? []))];
}

/** The discriminator of a member of a tagged union. */
export function tagOf(index: number): Member {
  return { name: "kind", optional: false, orUndefined: false, of: { kind: "literal", value: `k${index}` } };
}

function escapeTemplate(text: string): string {
  return text.replace(/[`\\$]/g, "\\$&");
}
