import type { CustomPlan, Plan } from "proffer/derived";
import type ts from "typescript";
import { type DerivedSchema, type JsonType, typesOf } from "../model/json-schema.ts";
import { type Conversion, type Converted, type Direction, type Problem, referredName } from "./conversion.ts";
import { isNamed } from "./type-node.ts";

/** A call of `defineCodec` in the author's files. */
export interface FoundCodec {
  /** The type that it encodes. */
  readonly value: ts.Type;
  /** The type of its JSON form, and the node that names it. */
  readonly json: ts.Type;
  readonly jsonNode: ts.TypeNode | undefined;
  /** Further keywords of the JSON form's schema. */
  readonly schema: DerivedSchema | undefined;
  /** The variable that holds it; its comment describes the JSON form. */
  readonly symbol: ts.Symbol | undefined;
  readonly node: ts.Node;
  /** It makes instances of a class from the members that the class declares. */
  readonly isClass: boolean;
  /** It has the function `is`. */
  readonly hasIs: boolean;
  /** Its values are objects, and not of a class that has a plan. */
  readonly isPlain: boolean;
  /** The export of the served module that holds it. The emitted module adds the export if the author did not. */
  readonly exportName: string;
  /** Its errors: a function that needs the codec must not be served. */
  readonly problems: Problem[];
}

export type CustomCodecs = ReturnType<typeof createCustomCodecs>;

/** Creates the table of the codecs of a program, by type. */
export function createCustomCodecs(checker: ts.TypeChecker) {
  const byType = new Map<ts.Type, FoundCodec>();
  const bySymbol = new Map<ts.Symbol, FoundCodec[]>();
  const byExport = new Map<string, FoundCodec>();

  /**
   * Returns the codec of a type: a class, an interface or an alias. Type arguments may differ as long as the codec
   * reads or writes the type: luxon's functions return `DateTime<true>`, and authors name `DateTime`.
   */
  function find(type: ts.Type, direction: Direction): FoundCodec | undefined {
    if (byType.size === 0) return undefined;
    const exact = byType.get(type);
    const similar = (type.symbol && bySymbol.get(type.symbol)) ?? [];
    return (exact ? [exact] : similar).find(({ value, isClass }) => {
      if (isClass && direction === "out") return false;
      const [from, to] = direction === "in" ? [value, type] : [type, value];
      return from === to || checker.isTypeAssignableTo(from, to);
    });
  }

  return {
    find,
    /** The codecs that a served type needs. */
    used: new Set<FoundCodec>(),
    /** Adds a codec. Returns the earlier codec of the same type, if there is one. */
    add(codec: FoundCodec): FoundCodec | undefined {
      const { value, exportName } = codec;
      const known = find(value, "in") ?? find(value, "out");
      if (known !== undefined) return known;
      byType.set(value, codec);
      byExport.set(exportName, codec);
      if (isNamed(value)) bySymbol.set(value.symbol, [...(bySymbol.get(value.symbol) ?? []), codec]);
      return undefined;
    },
    /** Returns the codec of a plan. */
    named: (exportName: string) => byExport.get(exportName),
  };
}

/** Converts a type that has a codec; undefined for any other type. */
export function convertCustom(conversion: Conversion, type: ts.Type): Converted | undefined {
  const { checker, codecs, direction } = conversion;
  const codec = codecs.find(type, direction);
  if (codec === undefined || codec.isClass) return undefined;
  codecs.used.add(codec);
  const json = checker.isArrayLikeType(codec.json) ? "array" : "object";
  return conversion.enter(type, json, () => {
    for (const { code, message, node } of codec.problems) conversion.report(code, message, node);
    const { schema, plan } = convertForm(conversion, codec);
    const types = jsonTypes(conversion, schema);
    return {
      schema,
      plan: {
        kind: "custom",
        codec: codec.exportName,
        name: checker.typeToString(codec.value),
        ...(types && { types }),
        ...(plan && { json: plan }),
      },
    };
  });
}

/** Adds the codec that makes instances of a parameter's class to its members. */
export function asInstance(conversion: Conversion, type: ts.Type, members: Converted): Converted {
  const { codecs, direction } = conversion;
  const codec = codecs.find(type, direction);
  if (codec === undefined) return members;
  codecs.used.add(codec);
  for (const { code, message, node } of codec.problems) conversion.report(code, message, node);
  const { schema, plan } = members;
  const name = conversion.checker.typeToString(codec.value);
  return {
    schema,
    plan: { kind: "custom", codec: codec.exportName, name, types: ["object"], ...(plan && { json: plan }) },
  };
}

/** Converts the JSON form of a codec. Its problems belong to the codec, not to the function that needs it. */
function convertForm(conversion: Conversion, codec: FoundCodec): Converted {
  const { subject, place } = conversion;
  conversion.subject = `the JSON form of '${conversion.checker.typeToString(codec.value)}'`;
  conversion.place = codec.node;
  const form = conversion.convert(codec.json, codec.jsonNode);
  const { schema, plan } = codec.schema === undefined ? form : conversion.inline(form);
  const whole = { ...schema, ...codec.schema };
  const documented = codec.symbol ? conversion.document(whole, codec.symbol) : whole;
  conversion.subject = subject;
  conversion.place = place;
  return { schema: documented, ...(plan && { plan }) };
}

/** Returns the JSON types of a schema as the run-time sees them; undefined if it accepts every type. */
function jsonTypes({ definitions }: Conversion, schema: DerivedSchema): Exclude<JsonType, "integer">[] | undefined {
  const definition = definitions.get(referredName(schema) ?? "");
  const types = definition ? [definition.json] : typesOf(schema);
  if (types === undefined) return undefined;
  return [...new Set([...types].map((type) => (type === "integer" ? "number" : type)))];
}

/** Returns the codec's plan, also behind a reference. */
export function customPlanOf({ definitions }: Conversion, plan?: Plan): CustomPlan | undefined {
  let at = plan;
  const seen = new Set<string>();
  while (at?.kind === "ref" && !seen.has(at.name)) {
    seen.add(at.name);
    at = definitions.get(at.name)?.plan;
  }
  return at?.kind === "custom" ? at : undefined;
}
