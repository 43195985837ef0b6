import type { Call } from "../calls/call.ts";
import type { Annotations, ClientCapabilities, MediaBlock, Meta, TextBlock } from "../protocol/model.ts";
import type { Infer, SchemaLike } from "../schema/schema.ts";
import { whenReady } from "../support/async.ts";
import { UsageError } from "../support/usage-error.ts";
import type { Fields, FieldValues } from "./fields.ts";
import { toForm } from "./form.ts";
import type { Question } from "./question.ts";
import { questionsOf } from "./questions-of.ts";

/** The user's answer to a question. */
export type Answer<Content> =
  | { readonly action: "accept"; readonly content: Content }
  | { readonly action: "decline" }
  | { readonly action: "cancel" };

/** The user's answer to a request to open a page. `accept` means that the user agreed, not that they are done. */
export type UrlAnswer = { readonly action: "accept" | "decline" | "cancel" };

export interface AskOptions<Content> {
  /** The answer to use for a client that does not support the question. Without it, the call ends with an error. */
  readonly fallback?: Answer<Content>;
  /** The name of the question on the wire, in revisions that name questions. */
  readonly key?: string;
}

/** The type of the content that a form's schema describes. */
export type FormContent<Schema> = Schema extends Fields
  ? { [Name in keyof FieldValues<Schema>]: FieldValues<Schema>[Name] }
  : Infer<Schema>;

const FORMS: ClientCapabilities = { elicitation: { form: {} } };

/** Asks the user to fill in a form. */
export function ask(
  call: Call,
  message: string,
  schema: SchemaLike | Fields | undefined,
  options: AskOptions<unknown> = {},
): Promise<Answer<unknown>> {
  const form = toForm(schema);
  const answer = questionsOf(call).ask({
    method: "elicitation/create",
    params: { mode: "form", message, requestedSchema: form.published },
    identity: `${form.mark} ${message}`,
    needs: FORMS,
    schema: form.schema,
    key: options.key,
    fallback: options.fallback,
  });
  const { parse } = form;
  if (parse === undefined) return Promise.resolve(answer) as Promise<Answer<unknown>>;
  return Promise.resolve(
    whenReady(answer, (given) => {
      if (given.action !== "accept" || given === options.fallback) return given as Answer<unknown>;
      return whenReady(parse(given.content), (content): Answer<unknown> => ({ action: "accept", content }));
    }),
  );
}

/** Asks the user to open a page, for data that must not pass through the client, such as a password. */
export function askUrl(
  call: Call,
  message: string,
  url: string | URL,
  options: AskOptions<never> = {},
): Promise<UrlAnswer> {
  if (!/^https?:\/\//i.test(String(url))) {
    throw new UsageError("bad_option", `ctx.askUrl() needs an http or https URL, not ${JSON.stringify(String(url))}.`);
  }
  const answer = questionsOf(call).ask({
    method: "elicitation/create",
    params: { mode: "url", message, url: String(url) },
    identity: `${url} ${message}`,
    needs: { elicitation: { url: {} } },
    key: options.key,
    fallback: options.fallback,
  });
  return Promise.resolve(answer) as Promise<UrlAnswer>;
}

/** A request to the client's model. */
export interface SampleOptions {
  readonly messages: readonly {
    readonly role: "user" | "assistant";
    readonly content: TextBlock | MediaBlock | readonly object[];
  }[];
  readonly maxTokens: number;
  readonly systemPrompt?: string;
  readonly temperature?: number;
  readonly stopSequences?: readonly string[];
  readonly modelPreferences?: object;
  readonly metadata?: object;
  readonly tools?: readonly object[];
  readonly toolChoice?: object;
}

/** The response of the client's model. */
export interface Sampled {
  readonly role: "user" | "assistant";
  readonly content: TextBlock | MediaBlock | readonly object[];
  readonly model: string;
  readonly stopReason?: string;
}

/** A folder or file that the user works with. */
export interface Root {
  readonly uri: string;
  readonly name?: string;
  readonly annotations?: Annotations;
  readonly _meta?: Meta;
}

/** Asks the client's model to write something. */
export function sample(call: Call, options: SampleOptions, key?: string): Promise<Sampled> {
  const needs: ClientCapabilities = { sampling: options.tools === undefined ? {} : { tools: {} } };
  const identity = JSON.stringify(options);
  const question: Question = { method: "sampling/createMessage", params: { ...options }, identity, needs, key };
  return Promise.resolve(questionsOf(call).ask(question)) as Promise<unknown> as Promise<Sampled>;
}

/** Asks which folders the user works in. */
export async function roots(call: Call, key?: string): Promise<readonly Root[]> {
  const question: Question = { method: "roots/list", params: {}, identity: "", needs: { roots: {} }, key };
  const answer = await questionsOf(call).ask(question);
  return answer.roots as Root[];
}
