import type { Asked, ScriptedAnswer } from "proffer/client";
import { CommandError, WrongUsage } from "../terminal/command-error.ts";
import { warn } from "../terminal/terminal.ts";
import { text } from "../terminal/text.ts";
import { parsePairs, toValues } from "./arguments.ts";
import { type Field, readForm } from "./question-form.ts";

/** Answers to the questions of a server, for scripts. */
export interface AnswerFlags {
  /** Values of fields, in the order of the questions that have them. */
  readonly answer?: readonly string[];
  /** Accept questions, with the defaults of fields that have no `answer`. */
  readonly accept?: boolean;
  readonly decline?: boolean;
}

export interface GivenAnswers {
  /** @throws {CommandError} for a question that the flags do not answer. */
  answer(asked: Asked): ScriptedAnswer;
  /** Warns of values that no question asked for: their names may be misspelled. */
  warnOfUnused(): void;
}

/** Reads the answers of a command; undefined if it has none. @throws {WrongUsage} for flags that contradict each other. */
export function givenAnswers({
  answer: pairs = [],
  accept = false,
  decline = false,
}: AnswerFlags): GivenAnswers | undefined {
  if (decline && (accept || pairs.length > 0)) {
    throw new WrongUsage("--decline cannot be used with --accept or --answer.");
  }
  if (pairs.length === 0 && !accept && !decline) return undefined;
  const left = parsePairs(pairs, "--answer");

  /** Takes the first value that is left for a field. */
  function take({ name }: Field): [string, string][] {
    const at = left.findIndex(([each]) => each === name);
    return at === -1 ? [] : left.splice(at, 1);
  }

  function answer({ method, params }: Asked): ScriptedAnswer {
    if (decline) return "decline";
    const { message, url, requestedSchema } = params ?? {};
    if (method !== "elicitation/create") throw new CommandError(`--answer cannot answer ${method}.`);
    const schema = requestedSchema ?? {};
    const fields = url === undefined ? readForm(schema) : [];
    const values = toValues(fields.flatMap(take), schema);
    const defaults = fields.filter(({ schema }) => schema.default !== undefined);
    const content = { ...Object.fromEntries(defaults.map(({ name, schema }) => [name, schema.default])), ...values };
    const missing = fields.filter(({ name, required }) => required && !Object.hasOwn(content, name));
    if (missing.length === 0 && (accept || Object.keys(values).length > 0)) return { action: "accept", content };
    const flags = missing.length === 0 ? "--accept" : missing.map(({ name }) => `--answer ${name}=…`).join(" ");
    throw new CommandError(text`The server asks: ${String(message ?? "")}\nAdd ${flags}, or --decline.`);
  }

  return {
    answer,
    warnOfUnused() {
      for (const [name] of left) warn(`No question asked for --answer ${name}.`);
    },
  };
}
