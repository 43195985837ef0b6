import type { SchemaPart } from "./schema-part.ts";

const MAX_LENGTH = 60;

/** The names in `$defs`. */
export interface DefinitionNames {
  /**
   * Returns the name of a part: the one of its type, or else one made of the type and the property that hold it at its
   * first use.
   */
  give(part: SchemaPart, holder?: string, property?: string): string;
}

/** Names the shared parts. The author's names come first; an invented name never takes one of them. */
export function createNames(shared: ReadonlySet<SchemaPart>): DefinitionNames {
  const given = new Map<SchemaPart, string>();
  /** How often a name was wanted. */
  const wishes = new Map<string, number>();
  const taken = new Set<string>();
  const reserved = new Set([...shared].flatMap(({ alias, isNamed }) => (isNamed && alias ? [clean(alias)] : [])));

  function add(part: SchemaPart, wanted: string): string {
    const isFree = (name: string) => !taken.has(name) && (part.isNamed || !reserved.has(name));
    let name = wanted;
    let number = wishes.get(wanted) ?? 1;
    while (!isFree(name)) name = `${wanted}${++number}`;
    wishes.set(wanted, number);
    taken.add(name);
    given.set(part, name);
    return name;
  }

  return {
    give(part, holder = "", property = "") {
      const { alias } = part;
      return given.get(part) ?? add(part, clean(alias ?? (inventName(holder, property) || "Value")));
    },
  };
}

/** Returns a name for the type of a property. */
export function inventName(holder: string, property: string): string {
  const words = property.split(/[^A-Za-z0-9]+/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${holder}${words.join("")}`.slice(0, MAX_LENGTH);
}

function clean(name: string): string {
  return name.replace(/[^A-Za-z0-9_]/g, "_");
}
