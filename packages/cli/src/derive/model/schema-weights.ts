import type { JsonSchemaObject } from "proffer";
import { bytesOf, definitionOf, partsOf } from "./schema-size.ts";

/** How often a schema refers to each definition. */
type References = ReadonlyMap<JsonSchemaObject, number>;

/** The bytes of the parts of a schema. Each definition is read once: a schema of a library has thousands of parts. */
export class SchemaWeights {
  /** The schema without its definitions. */
  readonly body: JsonSchemaObject;
  readonly #root: JsonSchemaObject;
  readonly #references = new Map<JsonSchemaObject, References>();
  readonly #bytes = new Map<JsonSchemaObject, number>();
  readonly #whole: number;

  constructor(root: JsonSchemaObject) {
    const { $defs: _, ...body } = root;
    this.#root = root;
    this.body = body;
    this.#whole = this.#reach(() => undefined);
  }

  /**
   * Returns the bytes that the schema would not have without a part, with the definitions that nothing else uses.
   * @param holder - the body or the definition that contains the part
   */
  without(part: JsonSchemaObject, holder: JsonSchemaObject): number {
    const own = this.#referencesOf(part);
    const rest = this.#reach((schema) => (schema === holder ? own : undefined));
    return this.#whole - rest + this.#bytesOf(part);
  }

  /** Returns the bytes of the body and the definitions that it needs, ignoring some references of a schema. */
  #reach(ignored: (schema: JsonSchemaObject) => References | undefined): number {
    const used = new Set([this.body]);
    let bytes = 0;
    // The set grows while it is read.
    for (const schema of used) {
      bytes += this.#bytesOf(schema);
      const less = ignored(schema);
      for (const [definition, times] of this.#referencesOf(schema)) {
        if (times > (less?.get(definition) ?? 0)) used.add(definition);
      }
    }
    return bytes;
  }

  #bytesOf(schema: JsonSchemaObject): number {
    const known = this.#bytes.get(schema) ?? bytesOf(schema);
    this.#bytes.set(schema, known);
    return known;
  }

  #referencesOf(schema: JsonSchemaObject): References {
    const known = this.#references.get(schema);
    if (known !== undefined) return known;
    const found = new Map<JsonSchemaObject, number>();
    const waiting = [schema];
    for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
      const definition = definitionOf(this.#root, part);
      if (definition) found.set(definition, (found.get(definition) ?? 0) + 1);
      for (const inner of partsOf(part)) waiting.push(inner.schema);
    }
    this.#references.set(schema, found);
    return found;
  }
}
