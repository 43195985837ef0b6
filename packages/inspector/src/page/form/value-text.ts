import type { Json } from "../../protocol/json.ts";
import type { ChoiceShape, Field } from "./field.ts";
import { isEqual } from "./read-schema.ts";

/** More choices than this are found by typing. */
export const LONG_CHOICE = 100;

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Reads a number as JSON has it. */
export function parseNumber(text: string): number | undefined {
  const number = NUMBER.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}

/** The text that a control shows for a value that fits it. */
export function textOf(field: Field, value: Json | undefined): string {
  if (value === undefined) return "";
  if (field.kind === "choice") return choiceText(field, value);
  return typeof value === "string" ? value : JSON.stringify(value);
}

/**
 * The value of a typed text. A text that is no number stays a text: a server must be tested with bad input, too, and the
 * check beside the field says that it is wrong.
 */
export function typedValue(field: Field, text: string): Json {
  if (field.kind === "number") return parseNumber(text) ?? text;
  if (field.kind === "boolean") return text === "true";
  if (field.kind === "choice") return choiceValue(field, text);
  return text;
}

function choiceText({ choices }: ChoiceShape, value: Json): string {
  const index = choices.findIndex((choice) => isEqual(choice.value, value));
  if (choices.length > LONG_CHOICE) return choices[index]?.label ?? String(value);
  return String(index);
}

function choiceValue({ choices }: ChoiceShape, text: string): Json {
  if (choices.length > LONG_CHOICE) return choices.find(({ label }) => label === text)?.value ?? text;
  return choices[Number(text)]?.value ?? text;
}
