import type { Change } from "./change.ts";
import { shown } from "./change.ts";
import type { Gap } from "./gap.ts";

export type Side = "input" | "output";

type Explained = Pick<Change, "level" | "message" | "before" | "after" | "remedy">;

const NEW_NAME = "or offer the change under a new name.";

/** The remedies by side: an input must accept what it accepted, an output may return only what it returned. */
const REMEDY = {
  input: `Accept the earlier values too, ${NEW_NAME}`,
  output: `Return only values of the earlier schema, ${NEW_NAME}`,
} as const;

/** Keywords in words, as a part of "… of x became stricter". */
const LIMITS = new Set([
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "pattern",
  "format",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
]);

/** Explains why a schema is not compatible with its earlier version. */
export function explainGap(gap: Gap, side: Side): Explained {
  const { path, keyword, from, to, isUndeclared } = gap;
  const what = nameOf(path, side);
  // An input must grow, so the earlier schema is the narrow one; for an output it is the wide one.
  const [before, after] = side === "input" ? [from, to] : [to, from];
  const values = { before: shown(before), after: shown(after) };
  const broken = (message: string, remedy: string = REMEDY[side]): Explained => ({
    level: "break",
    message,
    ...values,
    remedy,
  });
  if (isUndeclared && side === "input")
    return {
      level: "caution",
      message: `${what} is new. Callers that already sent another value under this name are refused.`,
    };
  if (isUndeclared) return { ...broken(`${what} is gone.`, "Keep returning it."), after: "none" };
  if (keyword === "required")
    return side === "input"
      ? { ...broken(`${what} became required.`, "Make it optional, or give it a default."), ...WORDS.required }
      : { ...broken(`${what} may be missing.`, "Return it always."), ...WORDS.optional };
  if (keyword === "gone" && side === "input")
    return { ...broken(`${what} is gone.`, "Keep the parameter, and ignore it."), ...WORDS.gone };
  if (keyword === "gone") return { level: "new", message: `${what} is new.` };
  if (keyword === "additionalProperties" && side === "input")
    return broken(`${what} no longer accepts properties that it does not name.`);
  if (keyword === "size")
    return {
      level: "break",
      message: `${what} is too complex to compare.`,
      remedy: "Compare it by hand, and run proffer lock to accept it.",
    };
  if (keyword === "type" || keyword === "enum" || keyword === "anyOf" || keyword === "oneOf" || keyword === "false")
    return broken(side === "input" ? `${what} accepts less.` : `${what} may have other values.`);
  if (LIMITS.has(keyword)) return broken(`${what} has a ${side === "input" ? "stricter" : "looser"} ${keyword}.`);
  return broken(`${what} ${side === "input" ? "may refuse" : "may allow"} more by ${keyword}.`);
}

const WORDS = {
  required: { before: "optional", after: "required" },
  optional: { before: "required", after: "optional" },
  gone: { before: "accepted", after: "refused" },
} as const;

/** Names a place in the arguments or in the result, such as `parameter options.limit`. */
export function nameOf(path: readonly string[], side: Side): string {
  if (path.length === 0) return side === "input" ? "The input" : "The result";
  const steps = path.map((step, index) => (step === "[]" || index === 0 ? step : `.${step}`)).join("");
  return `${side === "input" ? "Parameter" : "Property"} ${steps}`;
}
