import { text as ask, confirm, isCancel, multiselect, note, select } from "@clack/prompts";
import type { Asked, ScriptedAnswer } from "proffer/testing";
import { CommandError } from "../terminal/command-error.ts";
import { say } from "../terminal/terminal.ts";
import { Text, text } from "../terminal/text.ts";
import { type Field, type FieldSchema, readForm } from "./form.ts";
import { endProgress } from "./terminal-progress.ts";

/** Prompts go to stderr, because stdout is for the result. */
const OUTPUT = { output: process.stderr };

/** A longer message would push the question off the screen. */
const MAX_MESSAGE = 10_000;

/** The user pressed Escape or Ctrl+C. */
const CANCELLED = Symbol("cancelled");

/** Asks the user in the terminal to answer a question of the server. */
export async function answerInTerminal({ method, params }: Asked): Promise<ScriptedAnswer> {
  if (method !== "elicitation/create") throw new CommandError(`The terminal cannot answer ${method}.`);
  endProgress();
  const { message, url, requestedSchema } = params ?? {};
  const question = Text.block(typeof message === "string" ? message.slice(0, MAX_MESSAGE) : "");
  if (url !== undefined) return answerUrl(question, url);
  const fields = readForm(requestedSchema ?? {});
  note(String(question), "The server asks", OUTPUT);
  return answerForm(fields);
}

/** Shows a URL of the server. It is never opened or fetched: the user decides. */
async function answerUrl(question: Text, value: unknown): Promise<ScriptedAnswer> {
  const url = typeof value === "string" && URL.canParse(value) ? new URL(value) : undefined;
  // A browser runs `javascript:` URLs, and `file:` and application URLs open local programs.
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
    say(text`The server asked to open a URL that is not http: or https:. The question was declined.`);
    return "decline";
  }
  // The host of a URL is easy to miss: https://bank.example@evil.example/ belongs to evil.example.
  note(String(text`${question}\n\nHost: ${url.host}\n${url.href}`), "The server asks you to open a URL", OUTPUT);
  const opened = await confirm({ message: "Did you open this URL and complete the task there?", ...OUTPUT });
  if (isCancel(opened)) return "cancel";
  return opened ? { action: "accept" } : "decline";
}

async function answerForm(fields: readonly Field[]): Promise<ScriptedAnswer> {
  const choice = await select({
    message: "Your answer",
    options: [
      { value: "accept", label: "Answer" },
      { value: "decline", label: "Decline" },
    ],
    ...OUTPUT,
  });
  if (isCancel(choice)) return "cancel";
  if (choice === "decline") return "decline";
  const content: [string, unknown][] = [];
  for (const field of fields) {
    const value = await askField(field);
    if (value === CANCELLED) return "cancel";
    if (value !== undefined) content.push([field.name, value]);
  }
  return { action: "accept", content: Object.fromEntries(content) };
}

async function askField({ name, schema, required }: Field): Promise<unknown> {
  const label = [schema.title ?? name, schema.description && `– ${schema.description}`, required || "(optional)"];
  const message = toLine(label.filter((part) => typeof part === "string").join(" "));
  const value = await promptFor(message, schema, required);
  return isCancel(value) ? CANCELLED : value;
}

async function promptFor(message: string, schema: FieldSchema, required: boolean): Promise<unknown> {
  const options = optionsOf(schema);
  if (schema.type === "boolean") {
    return confirm({ message, initialValue: schema.default === true, ...OUTPUT });
  }
  if (schema.type === "array") return multiselect({ message, options, required, ...OUTPUT });
  if (options.length > 0) {
    const none = { value: undefined as string | undefined, label: "–" };
    return select<string | undefined>({ message, options: required ? options : [...options, none], ...OUTPUT });
  }
  const typed = await ask({
    message,
    ...initialValue(schema.default),
    validate: (value = "") => validate(value, schema, required),
    ...OUTPUT,
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
