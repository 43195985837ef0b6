import ts from "typescript";
import type { NamedDoc } from "../comments/function-comment.ts";
import { typeNodeOf } from "../types/type-node.ts";
import type { Analysis } from "./analysis.ts";
import type { Candidate } from "./exports.ts";

/** A parameter of a function. */
export interface Parameter {
  /** Undefined for a destructured parameter. */
  name: string | undefined;
  type: ts.Type;
  /** The type as the author wrote it. */
  node: ts.TypeNode | undefined;
  /** Absent for a parameter that the compiler synthesized, and for an element of a tuple type. */
  declaration: ts.ParameterDeclaration | undefined;
  /** `array`: a rest parameter. `elements`: the same, but `type` is the type of one element. */
  rest?: "array" | "elements";
  isOptional: boolean;
}

/** The type of a rest parameter if it is a tuple, and the declarations that name its elements. */
interface NamedTuple {
  type: ts.TupleTypeReference;
  labels: readonly Label[];
}

type Label = ts.ParameterDeclaration | ts.NamedTupleMember | ts.BindingElement;

/** The flag of a signature whose last parameter is a rest parameter; the public type does not have it. */
const HAS_REST = 1;

/**
 * Returns the parameters of a function. A rest parameter whose type is a tuple with names is replaced by the elements:
 * a wrapper such as `withRetry(async (id: string) => …)` has the parameters of the function that it wraps.
 */
export function parametersOf({ checker }: Analysis, { signature, wrapped }: Candidate): Parameter[] {
  const hasRest = ((signature as ts.Signature & { flags: number }).flags & HAS_REST) !== 0;
  return signature.parameters.flatMap((symbol, index): Parameter[] => {
    const type = checker.getTypeOfSymbol(symbol);
    const declared = symbol.valueDeclaration;
    const declaration = declared && ts.isParameter(declared) ? declared : undefined;
    const isLast = index === signature.parameters.length - 1;
    const isRest = declaration ? declaration.dotDotDotToken !== undefined : hasRest && isLast;
    const sources = [declaration, wrapped?.declaration].filter((each) => each !== undefined);
    const tuple = isRest ? namedTuple(checker, type, sources) : undefined;
    if (tuple) return tuple.labels.map((label, position) => elementOf(checker, tuple, label, position));
    const isNamed = declaration === undefined || ts.isIdentifier(declaration.name);
    return [
      {
        name: isNamed ? symbol.name : undefined,
        type,
        node: typeNodeOf(declaration),
        declaration,
        ...(isRest && { rest: "array" as const }),
        isOptional:
          declaration !== undefined && (!!declaration.initializer || checker.isOptionalParameter(declaration)),
      },
    ];
  });
}

/**
 * Returns the tuple of a rest parameter if the declaration of each element is known: its label, the element of the
 * pattern in `...[a, b]`, or the parameter of the wrapped function, because a destructured parameter gives no label.
 */
function namedTuple(
  checker: ts.TypeChecker,
  type: ts.Type,
  sources: readonly (ts.ParameterDeclaration | ts.SignatureDeclaration)[],
): NamedTuple | undefined {
  if (!checker.isTupleType(type)) return undefined;
  const tuple = type as ts.TupleTypeReference;
  const { labeledElementDeclarations: declared, elementFlags } = tuple.target;
  const lists = sources.map(declarationsIn);
  const types = checker.getTypeArguments(tuple).map((each) => checker.getNonNullableType(each));
  const accepts = (index: number, label: Label) =>
    types[index] !== undefined && checker.isTypeAssignableTo(types[index], checker.getTypeAtLocation(label));
  const labels = elementFlags.flatMap((_, index): Label[] => {
    const label = declared?.[index];
    if (label) return [label];
    // Wrappers fill in the first parameters, so count from the end.
    const found = lists
      .flatMap((list) => list.at(index - elementFlags.length) ?? [])
      .find((each) => accepts(index, each));
    return found ? [found] : [];
  });
  return labels.length === elementFlags.length ? { type: tuple, labels } : undefined;
}

/** Returns the declarations that name the elements of a rest parameter, or the parameters of a function. */
function declarationsIn(source: ts.ParameterDeclaration | ts.SignatureDeclaration): Label[] {
  if (!ts.isParameter(source)) return source.parameters.filter(({ name }) => name.getText() !== "this");
  if (!ts.isArrayBindingPattern(source.name)) return [];
  return source.name.elements.flatMap((each) => (ts.isBindingElement(each) && ts.isIdentifier(each.name) ? each : []));
}

function elementOf(checker: ts.TypeChecker, { type }: NamedTuple, label: Label, position: number): Parameter {
  const flags = type.target.elementFlags[position] ?? ts.ElementFlags.Required;
  const declaration = ts.isParameter(label) ? label : undefined;
  const isVariable = (flags & ts.ElementFlags.Variable) !== 0;
  return {
    name: ts.isIdentifier(label.name) ? label.name.text : undefined,
    type: checker.getTypeArguments(type)[position] ?? checker.getUnknownType(),
    node: isVariable || ts.isBindingElement(label) ? undefined : typeNodeOf(label),
    declaration,
    ...(isVariable && { rest: flags & ts.ElementFlags.Rest ? ("elements" as const) : ("array" as const) }),
    isOptional: (flags & ts.ElementFlags.Optional) !== 0,
  };
}

/**
 * Chooses the names of the arguments. A destructured object is named by its @param tag, or else `options`; undefined for
 * a destructured array without a tag.
 */
export function nameParameters(parameters: readonly Parameter[], docs: readonly NamedDoc[]): (string | undefined)[] {
  const heads = [...new Set(docs.map(({ name }) => headOf(name)))];
  const taken = new Set<string>();
  const unique = (wanted: string) => {
    let name = wanted;
    for (let number = 2; taken.has(name); number++) name = `${wanted}${number}`;
    taken.add(name);
    return name;
  };
  const own = parameters.map(({ name }) => (name === undefined ? undefined : unique(name)));
  const free = heads.filter((head) => !taken.has(head) && !parameters.some((each) => keysOf(each).includes(head)));
  const unnamed = parameters.filter(({ name }) => name === undefined);
  return parameters.map((parameter, index) => {
    if (own[index] !== undefined) return own[index];
    const head = heads[index];
    // A tag at the position of the parameter, or one for each destructured parameter.
    const tagged =
      head !== undefined && free.includes(head)
        ? head
        : free.length === unnamed.length
          ? free[unnamed.indexOf(parameter)]
          : undefined;
    if (tagged !== undefined) return unique(tagged);
    return patternOf(parameter) ? unique("options") : undefined;
  });
}

/** Returns the parameter in a name such as `options.limit` or `list[].id`. */
export function headOf(name: string): string {
  return name.replace(/[.[].*$/, "");
}

/** Returns the binding pattern of a destructured parameter. */
export function patternOf({ declaration, rest }: Parameter): ts.ObjectBindingPattern | undefined {
  const name = declaration?.name;
  return name && ts.isObjectBindingPattern(name) && !rest ? name : undefined;
}

/** Returns the names of the properties that a parameter destructures. */
export function keysOf(parameter: Parameter): string[] {
  return (patternOf(parameter)?.elements ?? []).flatMap((element) => keyOf(element) ?? []);
}

/** Returns the name of the property that an element of a binding pattern reads. */
export function keyOf({ propertyName, name, dotDotDotToken }: ts.BindingElement): string | undefined {
  const key = propertyName ?? name;
  return !dotDotDotToken && (ts.isIdentifier(key) || ts.isStringLiteral(key)) ? key.text : undefined;
}
