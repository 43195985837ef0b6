import { confirm, isCancel, multiselect, note, select, text } from "@clack/prompts";
import type { Asked, ScriptedAnswer } from "proffer/testing";
import { toPlainText } from "./plain-text.ts";
import { endProgress } from "./terminal-progress.ts";

/** A field of a form, as the protocol describes it. */
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

/** Stdout is for the result. */
const OUTPUT = { output: process.stderr };

/** Somebody pressed Escape or Ctrl+C. */
const CANCELLED = Symbol("cancelled");

/** Lets the person at the terminal answer a question of the server. */
export async function answerInTerminal({ method, params }: Asked): Promise<ScriptedAnswer> {
  if (method !== "elicitation/create") throw new Error(`The terminal cannot answer ${method}.`);
  endProgress();
  const { message, url, requestedSchema } = params as { message: string; url?: string; requestedSchema?: FormSchema };
  note(toPlainText(url === undefined ? message : `${message}\n\n${url}`), "The server asks", OUTPUT);
  return url === undefined ? answerForm(requestedSchema ?? {}) : answerUrl();
}

async function answerUrl(): Promise<ScriptedAnswer> {
  const opened = await confirm({ message: "Did you open this address and do what it asks?", ...OUTPUT });
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
    validate: (value = "") => complaint(value, schema, required),
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

/** What is wrong with a text that was typed; the server checks again. */
function complaint(value: string, schema: FieldSchema, required: boolean): string | undefined {
  if (value === "") return required && (schema.minLength ?? 0) > 0 ? "Something is needed here." : undefined;
  if (schema.type === "number" || schema.type === "integer") return numberComplaint(value, schema);
  if (value.length < (schema.minLength ?? 0)) return `At least ${schema.minLength} characters, please.`;
  return value.length > (schema.maxLength ?? Infinity) ? `At most ${schema.maxLength} characters, please.` : undefined;
}

function numberComplaint(text: string, { type, minimum, maximum }: FieldSchema): string | undefined {
  const value = Number(text);
  if (text.trim() === "" || !Number.isFinite(value)) return "A number, please.";
  if (type === "integer" && !Number.isInteger(value)) return "A whole number, please.";
  if (minimum !== undefined && value < minimum) return `At least ${minimum}, please.`;
  return maximum !== undefined && value > maximum ? `At most ${maximum}, please.` : undefined;
}
