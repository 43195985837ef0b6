import type { Json } from "../../protocol/data.ts";
import { isObject, type LooseSchema, listOf, namesOf, numberOf, stringOf } from "../text/json.ts";
import type { Field, Later, Shape } from "./field.ts";
import { flatten, merge, typesOf, Unplanned } from "./flatten.ts";
import {
  branchLabels,
  choose,
  constantsOf,
  findTag,
  hintOf,
  impliedType,
  isNull,
  limits,
  NUMBER_LIMITS,
  namedValues,
  textShape,
  titleOf,
} from "./shapes.ts";

/**
 * A union of more alternatives is edited as JSON. Unions of unions may have a quarter of it each time: to find the
 * alternative of a value, all of them are looked at, and a union may contain itself.
 */
const MAX_BRANCHES = 100;

/** Plans the form of a JSON Schema. It never throws: a value that no control can show has a JSON box. */
export function plan(root: unknown): Field {
  const planned = new WeakMap<object, Field>();

  /** `nesting`: the number of unions around it without anything between. */
  function fieldOf(schema: unknown, nesting: number): Field {
    if (!isObject(schema)) return planNew(schema, nesting);
    const known = planned.get(schema);
    if (known !== undefined) return known;
    const field = planNew(schema, nesting);
    planned.set(schema, field);
    return field;
  }

  function planNew(schema: unknown, nesting: number): Field {
    let flat: LooseSchema = isObject(schema) ? schema : {};
    try {
      flat = flatten(schema, root);
      return describe(flat, ...shapeOf(flat, nesting));
    } catch (error) {
      if (!(error instanceof Unplanned)) throw error;
      return describe(flat, { kind: "json", reason: error.message }, false);
    }
  }

  function later(schema: unknown, nesting = 0): Later {
    let field: Field | undefined;
    return () => {
      field ??= fieldOf(schema, nesting);
      return field;
    };
  }

  /** Returns the shape, and whether `null` is allowed beside it. */
  function shapeOf(schema: LooseSchema, nesting: number): [Shape, boolean] {
    if (schema.const !== undefined) return choose([{ value: schema.const as Json, label: titleOf(schema) }]);
    if (Array.isArray(schema.enum)) return choose(namedValues(schema));
    const { anyOf, oneOf, ...rest } = schema;
    const alternatives = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : undefined;
    if (alternatives !== undefined && alternatives.length > 0) {
      if (Array.isArray(anyOf) && Array.isArray(oneOf)) throw new Unplanned(`it has both "anyOf" and "oneOf"`);
      return unionOf(rest, alternatives, nesting);
    }
    const types = typesOf(rest.type);
    const others = types.filter((type) => type !== "null");
    const nullable = others.length < types.length;
    if (others.length === 0) return [nullable ? { kind: "null" } : typedShape(impliedType(rest), rest), nullable];
    if (others.length === 1) return [typedShape(others[0], rest), nullable];
    const branches = others.map((type) => ({ ...rest, type, title: undefined, description: undefined }));
    return [unionShape(branches, nesting), nullable];
  }

  function unionOf(rest: LooseSchema, alternatives: readonly unknown[], nesting: number): [Shape, boolean] {
    if (alternatives.length > MAX_BRANCHES >> (2 * nesting)) {
      const flat = alternatives.map((alternative) => flatten(alternative, root));
      const constants = flat.map(constantsOf);
      if (constants.every((each) => each !== undefined)) return choose(constants.flat());
      throw new Unplanned(`it has ${alternatives.length} alternatives`);
    }
    const flat = alternatives.flatMap((alternative) => (alternative === false ? [] : [flatten(alternative, root)]));
    // Such as `anyOf: [{ required: ["a"] }, { required: ["b"] }]`: the fields are the same in each alternative.
    if (flat.every((branch) => Object.keys(branch).every((keyword) => CONSTRAINTS.has(keyword))))
      return shapeOf(rest, nesting);
    const constants = flat.map(constantsOf);
    if (constants.every((each) => each !== undefined)) return choose(constants.flat());
    const others = flat.filter((branch) => !isNull(branch));
    const nullable = others.length < flat.length;
    const [only] = others;
    if (only === undefined) return [{ kind: "null" }, true];
    const branches = others.map((branch) => mergeBranch(rest, branch));
    if (branches.length > 1) return [unionShape(branches, nesting), nullable];
    const [shape, isNullable] = shapeOf(mergeBranch(rest, only), nesting + 1);
    return [shape, nullable || isNullable];
  }

  function unionShape(flat: readonly LooseSchema[], nesting: number): Shape {
    const tag = findTag(flat, root);
    const labels = branchLabels(flat, tag);
    const branches = flat.map((schema, index) => ({ label: labels[index] ?? "", field: later(schema, nesting + 1) }));
    return { kind: "union", branches, ...(tag !== undefined && { tag }) };
  }

  function typedShape(type: string | undefined, schema: LooseSchema): Shape {
    switch (type) {
      case "string":
        return textShape(schema);
      case "number":
      case "integer":
        return { kind: "number", integer: type === "integer", ...limits(schema, NUMBER_LIMITS) };
      case "boolean":
        return { kind: "boolean" };
      case "array":
        return arrayShape(schema);
      case "object":
        return objectShape(schema);
      case undefined:
        return { kind: "json" };
      default:
        return { kind: "json", reason: `the type ${JSON.stringify(type)} is unknown` };
    }
  }

  function arrayShape(schema: LooseSchema): Shape {
    // Before 2020-12, `items` was a list for tuples.
    const isOld = Array.isArray(schema.items);
    const prefix = listOf(isOld ? schema.items : schema.prefixItems).map((item) => later(item));
    const rest = isOld ? schema.additionalItems : schema.items;
    const most = numberOf(schema.maxItems);
    const isFixed =
      rest === false || (prefix.length > 0 && (rest === undefined || (most ?? Infinity) <= prefix.length));
    return {
      kind: "array",
      prefix,
      minItems: numberOf(schema.minItems) ?? 0,
      unique: schema.uniqueItems === true,
      ...(most !== undefined && { maxItems: most }),
      ...(!isFixed && { items: later(rest) }),
    };
  }

  function objectShape(schema: LooseSchema): Shape {
    const required = namesOf(schema.required);
    const known = isObject(schema.properties) ? Object.entries(schema.properties) : [];
    const properties = known.map(([name, property]) => ({
      name,
      required: required.includes(name),
      field: later(property),
    }));
    // A required name without a schema is still something to fill in.
    for (const name of required) {
      if (!known.some(([other]) => other === name)) properties.push({ name, required: true, field: later(true) });
    }
    const patterns = isObject(schema.patternProperties) ? Object.values(schema.patternProperties) : [];
    const extra =
      isObject(schema.additionalProperties) || schema.additionalProperties === true
        ? schema.additionalProperties
        : patterns.length === 1
          ? patterns[0]
          : patterns.length > 1
            ? true
            : undefined;
    if (properties.length === 0 && (extra === undefined || extra === true) && schema.additionalProperties !== false) {
      return { kind: "json", reason: "any object" };
    }
    const minProperties = numberOf(schema.minProperties) ?? 0;
    return { kind: "object", properties, minProperties, ...(extra !== undefined && { extra: later(extra) }) };
  }

  return fieldOf(root, 0);
}

/** Keywords of alternatives that only restrict the fields beside them. */
const CONSTRAINTS = new Set("required not if then else dependentRequired minProperties title description".split(" "));

/** Annotations of the alternative win, because people choose by its label. */
function mergeBranch(rest: LooseSchema, branch: LooseSchema): LooseSchema {
  return merge(branch, { ...rest, title: undefined, description: undefined, default: undefined, examples: undefined });
}

function describe(schema: LooseSchema, shape: Shape, nullable: boolean): Field {
  const title = stringOf(schema.title);
  const description = stringOf(schema.description);
  return {
    ...shape,
    hint: hintOf(shape),
    nullable: nullable && shape.kind !== "null",
    deprecated: schema.deprecated === true,
    examples: listOf(schema.examples) as readonly Json[],
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(schema.default !== undefined && { default: schema.default as Json }),
  };
}
