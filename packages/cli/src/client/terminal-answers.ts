import { confirm, isCancel, multiselect, note, select, text } from "@clack/prompts";
import type { Asked, ScriptedAnswer } from "proffer/testing";
import { toPlainText } from "./plain-text.ts";
import { endProgress } from "./terminal-progress.ts";

/** The schema of a form field, as the specification defines it. */
interface FieldSchema {
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly enumNames?: readonly string[];
  readonly oneOf?: readonly { readonly const: string; readonly title?: string }[];
  readonly items?: { readonly enum?: readonly string[]; readonly anyOf?: FieldSchema["oneOf"] };
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

interface FormSchema {
  readonly properties?: { readonly [name: string]: FieldSchema };
  readonly required?: readonly string[];
}

/** Prompts go to stderr, because stdout is for the result. */
const OUTPUT = { output: process.stderr };

/** The user pressed Escape or Ctrl+C. */
const CANCELLED = Symbol("cancelled");

/** Asks the user in the terminal to answer a question of the server. */
export async function answerInTerminal({ method, params }: Asked): Promise<ScriptedAnswer> {
  if (method !== "elicitation/create") throw new Error(`The terminal cannot answer ${method}.`);
  endProgress();
  const { message, url, requestedSchema } = params as { message: string; url?: string; requestedSchema?: FormSchema };
  note(toPlainText(url === undefined ? message : `${message}\n\n${url}`), "The server asks", OUTPUT);
  return url === undefined ? answerForm(requestedSchema ?? {}) : answerUrl();
}

async function answerUrl(): Promise<ScriptedAnswer> {
  const opened = await confirm({ message: "Did you open this URL and complete the task there?", ...OUTPUT });
  if (isCancel(opened)) return "cancel";
  return opened ? { action: "accept" } : "decline";
}

async function answerForm({ properties = {}, required = [] }: FormSchema): Promise<ScriptedAnswer> {
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
  for (const [name, schema] of Object.entries(properties)) {
    const value = await askField(name, schema, required.includes(name));
    if (value === CANCELLED) return "cancel";
    if (value !== undefined) content.push([name, value]);
  }
  return { action: "accept", content: Object.fromEntries(content) };
}

async function askField(name: string, schema: FieldSchema, required: boolean): Promise<unknown> {
  const label = [schema.title ?? name, schema.description && `– ${schema.description}`, required || "(optional)"];
  const message = toPlainText(label.filter((part) => typeof part === "string").join(" "));
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
  const typed = await text({
    message,
    ...(schema.default === undefined ? {} : { initialValue: String(schema.default) }),
    validate: (value = "") => validate(value, schema, required),
    ...OUTPUT,
  });
  if (isCancel(typed)) return typed;
  if (typed === "" || typed === undefined) return required ? "" : undefined;
  return schema.type === "number" || schema.type === "integer" ? Number(typed) : typed;
}

function optionsOf({ enum: values, enumNames, oneOf, items }: FieldSchema): { value: string; label: string }[] {
  const listed = values ?? items?.enum;
  if (listed !== undefined) {
    return listed.map((value, index) => ({ value, label: toPlainText(enumNames?.[index] ?? value) }));
  }
  return (oneOf ?? items?.anyOf ?? []).map(({ const: value, title }) => ({
    value,
    label: toPlainText(title ?? value),
  }));
}

/** Returns the problem with an input. The server validates it again. */
function validate(value: string, schema: FieldSchema, required: boolean): string | undefined {
  if (value === "") return required && (schema.minLength ?? 0) > 0 ? "A value is required." : undefined;
  if (schema.type === "number" || schema.type === "integer") return validateNumber(value, schema);
  if (value.length < (schema.minLength ?? 0)) return `Enter at least ${schema.minLength} characters.`;
  return value.length > (schema.maxLength ?? Infinity) ? `Enter at most ${schema.maxLength} characters.` : undefined;
}

function validateNumber(text: string, { type, minimum, maximum }: FieldSchema): string | undefined {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) return "Enter a number.";
  if (type === "integer" && !Number.isInteger(value)) return "Enter an integer.";
  if (minimum !== undefined && value < minimum) return `Enter a number of at least ${minimum}.`;
  return maximum !== undefined && value > maximum ? `Enter a number of at most ${maximum}.` : undefined;
}
