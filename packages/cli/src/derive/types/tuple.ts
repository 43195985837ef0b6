import type { Plan } from "proffer/derived";
import ts from "typescript";
import { combine, type DerivedSchema, distinct, isWithin, mapSubschemas } from "../model/json-schema.ts";
import { type Conversion, type Converted, jsonOf } from "./conversion.ts";
import { reportLoose } from "./primitive.ts";
import { argumentNodes } from "./type-node.ts";
import { planOneOf } from "./union-plan.ts";

/** Converts a tuple; a label becomes the title of its element. */
export function convertTuple(conversion: Conversion, type: ts.TupleTypeReference, node?: ts.TypeNode): Converted {
  const { checker, subject } = conversion;
  const { elementFlags, labeledElementDeclarations: labels } = type.target;
  const nodes = argumentNodes(checker, node);
  const prefixItems: DerivedSchema[] = [];
  const prefixPlans: (Plan | null)[] = [];
  const others: Converted[] = [];
  let minItems = 0;
  for (const [index, item] of checker.getTypeArguments(type).entries()) {
    const flags = elementFlags[index] ?? ts.ElementFlags.Required;
    const label = labels?.[index]?.name;
    const name = label && ts.isIdentifier(label) ? label.text : undefined;
    conversion.subject = `element ${name === undefined ? index : `'${name}'`} of ${subject}`;
    const converted = conversion.convertElement(item, elementNode(nodes[index]));
    if (flags & ts.ElementFlags.Required) minItems++;
    // Elements after a rest element have no fixed position, so JSON Schema can only describe the tail as a whole.
    if (flags & ts.ElementFlags.Variable || others.length > 0) {
      others.push(converted);
      continue;
    }
    prefixItems.push(name === undefined ? converted.schema : { title: name, ...converted.schema });
    prefixPlans.push(converted.plan ?? null);
  }
  conversion.subject = subject;
  const rest = tailOf(conversion, others);
  const schema = tupleSchema(prefixItems, minItems, rest?.schema);
  if (!rest?.plan && prefixPlans.every((plan) => plan === null)) return { schema };
  return { schema, plan: { kind: "tuple", items: prefixPlans, ...(rest?.plan && { rest: rest.plan }) } };
}

/**
 * Returns the schema of an array with elements by position. `rest` describes any further elements.
 *
 * There are always `items`. VS Code rejects a tool that has an array without them, Gemini answers with an error, and
 * clients that do not know `prefixItems` show them to the model. In a closed tuple `maxItems` leaves nothing for them to
 * validate.
 */
export function tupleSchema(prefixItems: DerivedSchema[], minItems: number, rest?: DerivedSchema): DerivedSchema {
  return {
    type: "array",
    ...(prefixItems.length > 0 && { prefixItems }),
    items: rest ?? (prefixItems.length === 0 ? {} : combine(prefixItems.map(asItem))),
    ...(minItems > 0 && { minItems }),
    ...(!rest && { maxItems: prefixItems.length }),
  };
}

/** The number of subschemas up to which an element is repeated in `items`. */
const MAX_REPEATED = 50;

/**
 * Returns the schema of an element without its position: it has no label, and a tuple in it has only its `items`. A copy
 * of all positions, or of a large element, would double the schema for each level of nesting.
 */
function asItem(element: DerivedSchema): DerivedSchema {
  const { title: _, description: __, ...schema } = element;
  if (isWithin(schema, MAX_REPEATED)) return withoutPositions(schema);
  const { type } = schema;
  return { ...(type && { type }), ...(schema.items && { items: {} }) };
}

function withoutPositions(schema: DerivedSchema): DerivedSchema {
  const { prefixItems: _, ...rest } = schema;
  return mapSubschemas(rest, withoutPositions);
}

function tailOf(conversion: Conversion, others: Converted[]): Converted | undefined {
  const [only] = others;
  if (others.length <= 1) return only;
  const members = others.map((other) => ({ ...other, json: jsonOf(conversion, other.schema) }));
  const plan = planOneOf(conversion, members, () => "the rest element and the elements after it");
  const schemas = others.map(({ schema }) => schema);
  if (distinct(schemas).length > 1) reportLoose(conversion, "the elements from the rest element on in any order");
  return { schema: combine(schemas), ...(plan && { plan }) };
}

/** Returns the type node of a tuple element without its label or question mark; undefined for a rest element. */
function elementNode(node: ts.TypeNode | undefined): ts.TypeNode | undefined {
  if (node === undefined) return undefined;
  if (ts.isNamedTupleMember(node)) return node.dotDotDotToken ? undefined : node.type;
  if (ts.isOptionalTypeNode(node)) return node.type;
  return ts.isRestTypeNode(node) ? undefined : node;
}
