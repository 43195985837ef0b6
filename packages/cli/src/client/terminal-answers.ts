import { text as ask, confirm, isCancel, multiselect, note, select } from "@clack/prompts";
import type { Asked, ScriptedAnswer } from "proffer/client";
import { CommandError } from "../terminal/command-error.ts";
import { say } from "../terminal/terminal.ts";
import { Text, text } from "../terminal/text.ts";
import type { Interruption } from "./interruption.ts";
import { type Field, type FieldSchema, readForm } from "./question-form.ts";
import { endProgress } from "./terminal-notices.ts";

/** Prompts go to stderr, because stdout is for the result. */
const OUTPUT = { output: process.stderr };

/** A pseudo-terminal without a window, as of `script` and some CI, says that it has none: the library would believe it. */
function assumeSize(): void {
  if (process.stderr.columns === 0) Object.assign(process.stderr, { columns: 80, rows: 24 });
}

/** Options of every prompt. */
interface PromptOptions {
  readonly output: typeof process.stderr;
  readonly signal: AbortSignal;
}

/** The option to leave an optional field empty. Not undefined, which the library takes for the initial value. */
const NONE = { value: null, label: "–" };

/** A longer message would push the question off the screen. */
const MAX_MESSAGE = 10_000;

/** The user pressed Escape. */
const CANCELLED = Symbol("cancelled");
/** The user declines the question. A field may have any string as its value. */
const DECLINED = Symbol("declined");

/** Shows a prompt of the library and returns the user's input, or `CANCELLED`. */
type Show = <Value>(prompt: (options: PromptOptions) => Promise<Value | symbol>) => Promise<Value | typeof CANCELLED>;

/**
 * Asks the user in the terminal to answer a question of the server.
 * @throws {Interrupted} if the user presses Ctrl-C.
 */
export async function answerInTerminal({ method, params }: Asked, interruption: Interruption): Promise<ScriptedAnswer> {
  if (method !== "elicitation/create") throw new CommandError(`The terminal cannot answer ${method}.`);
  endProgress();
  assumeSize();
  const { message, url, requestedSchema } = params ?? {};
  const question = Text.block(typeof message === "string" ? message.slice(0, MAX_MESSAGE) : "");
  const show = showUntil(interruption);
  if (url !== undefined) return answerUrl(question, url, show);
  const [first, ...others] = readForm(requestedSchema ?? {});
  if (first === undefined) return answerChoice(question, undefined, [{ value: null, label: "Accept" }], show);
  const choices = others.length === 0 ? choicesOf(first) : [];
  if (choices.length > 0) return answerChoice(question, first, choices, show);
  note(String(question), "The server asks", OUTPUT);
  return answerForm([first, ...others], show);
}

/** The prompts report Escape and Ctrl-C alike: only the key distinguishes them. */
function showUntil(interruption: Interruption): Show {
  return async (prompt) => {
    let isInterrupted = false;
    const watch = (_: unknown, key?: { ctrl?: boolean; name?: string }) => {
      isInterrupted ||= key?.ctrl === true && key.name === "c";
    };
    process.stdin.on("keypress", watch);
    try {
      const value = await prompt({ ...OUTPUT, signal: interruption.signal });
      if (!isCancel(value)) return value as never;
      if (isInterrupted) interruption.trigger();
      interruption.signal.throwIfAborted();
      return CANCELLED;
    } finally {
      process.stdin.off("keypress", watch);
    }
  };
}

/** Shows a URL of the server. It is never opened or fetched: the user decides. */
async function answerUrl(question: Text, value: unknown, show: Show): Promise<ScriptedAnswer> {
  const url = typeof value === "string" && URL.canParse(value) ? new URL(value) : undefined;
  // A browser runs `javascript:` URLs, and `file:` and application URLs open local programs.
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
    say(text`The server asked to open a URL that is not http: or https:. The question was declined.`);
    return "decline";
  }
  // The host of a URL is easy to miss: https://bank.example@evil.example/ belongs to evil.example.
  note(String(text`${question}\n\nHost: ${url.host}\n${url.href}`), "The server asks you to open a URL", OUTPUT);
  const message = "Did you open this URL and complete the task there?";
  const opened = await show((options) => confirm({ message, ...options }));
  if (opened === CANCELLED) return "cancel";
  return opened ? { action: "accept" } : "decline";
}

/** Shows the choices of a form with one field, and the choice to decline, in one prompt. */
async function answerChoice(
  question: Text,
  field: Field | undefined,
  choices: readonly Option[],
  show: Show,
): Promise<ScriptedAnswer> {
  const label = field?.schema.title || field?.schema.description ? text`\n${labelOf(field)}` : text``;
  const { type, default: initial } = field?.schema ?? {};
  const chosen = await show((options) =>
    select<unknown>({
      message: String(text`The server asks: ${question}${label}`),
      options: [...choices, { value: DECLINED, label: "Decline" }],
      // The Enter key alone must not mean yes.
      initialValue: type === "boolean" ? initial === true : initial,
      ...options,
    }),
  );
  if (chosen === CANCELLED) return "cancel";
  if (chosen === DECLINED) return "decline";
  return { action: "accept", content: field === undefined || chosen === null ? {} : { [field.name]: chosen } };
}

/** Returns the values that a field allows, if the user picks exactly one of a few. */
function choicesOf({ schema, required }: Field): readonly Option[] {
  if (schema.type === "array") return [];
  const options = schema.type === "boolean" ? YES_OR_NO : optionsOf(schema);
  return required || options.length === 0 ? options : [...options, NONE];
}

async function answerForm(fields: readonly Field[], show: Show): Promise<ScriptedAnswer> {
  const actions = [
    { value: "accept", label: "Answer" },
    { value: "decline", label: "Decline" },
  ];
  const choice = await show((options) => select({ message: "Your answer", options: actions, ...options }));
  if (choice === CANCELLED) return "cancel";
  if (choice === "decline") return "decline";
  const content: [string, unknown][] = [];
  for (const field of fields) {
    const value = await show((options) => promptFor(field, options));
    if (value === CANCELLED) return "cancel";
    if (value !== undefined && value !== null) content.push([field.name, value]);
  }
  return { action: "accept", content: Object.fromEntries(content) };
}

function labelOf({ name, schema, required }: Field): string {
  const label = [schema.title ?? name, schema.description && `– ${schema.description}`, required || "(optional)"];
  return toLine(label.filter((part) => typeof part === "string").join(" "));
}

/** Asks for the value of one field; returns the symbol of the library if the user cancels. */
async function promptFor(field: Field, options: PromptOptions): Promise<unknown> {
  const { schema, required } = field;
  const message = labelOf(field);
  const choices = optionsOf(schema);
  if (schema.type === "boolean") return confirm({ message, initialValue: schema.default === true, ...options });
  if (schema.type === "array") return multiselect({ message, options: choices, required, ...options });
  if (choices.length > 0) {
    return select<unknown>({ message, options: required ? choices : [...choices, NONE], ...options });
  }
  const typed = await ask({
    message,
    ...initialValue(schema.default),
    validate: (value = "") => validate(value, schema, required),
    ...options,
  });
  if (isCancel(typed)) return typed;
  if (typed === "" || typed === undefined) return required ? "" : undefined;
  return schema.type === "number" || schema.type === "integer" ? Number(typed) : typed;
}

/** A default is shown as the user's own input, which cannot be escaped: an unsafe one is left out. */
function initialValue(value: unknown): { initialValue?: string } {
  if (typeof value !== "string" && typeof value !== "number") return {};
  return toLine(String(value)) === String(value) ? { initialValue: String(value) } : {};
}

interface Option {
  readonly value: unknown;
  readonly label: string;
}

const YES_OR_NO: readonly Option[] = [
  { value: true, label: "Yes" },
  { value: false, label: "No" },
];

function optionsOf({ enum: values, enumNames, oneOf, items }: FieldSchema): { value: string; label: string }[] {
  const listed = values ?? items?.enum;
  if (listed) return listed.map((value, index) => ({ value, label: toLine(enumNames?.[index] ?? value) }));
  return (oneOf ?? items?.anyOf ?? []).map(({ const: value, title }) => ({ value, label: toLine(title ?? value) }));
}

/** Returns the problem with an input. The server validates it again. */
function validate(value: string, schema: FieldSchema, required: boolean): string | undefined {
  const { type, minLength, maxLength } = schema;
  if (value === "") return required && (minLength ?? 0) > 0 ? "A value is required." : undefined;
  if (type === "number" || type === "integer") return validateNumber(value, schema);
  if (value.length < (minLength ?? 0)) return `Enter at least ${minLength} characters.`;
  return value.length > (maxLength ?? Infinity) ? `Enter at most ${maxLength} characters.` : undefined;
}

function validateNumber(input: string, { type, minimum, maximum }: FieldSchema): string | undefined {
  const value = Number(input);
  if (input.trim() === "" || !Number.isFinite(value)) return "Enter a number.";
  if (type === "integer" && !Number.isInteger(value)) return "Enter an integer.";
  if (value < (minimum ?? -Infinity)) return `Enter a number of at least ${minimum}.`;
  return value > (maximum ?? Infinity) ? `Enter a number of at most ${maximum}.` : undefined;
}

function toLine(value: string): string {
  return String(text`${value}`);
}
