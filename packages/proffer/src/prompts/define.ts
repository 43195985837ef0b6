import type { Complete } from "../catalog/completion.ts";
import type { Grouped, ToolsetOption } from "../catalog/registry.ts";
import { checkAliases, checkName } from "../catalog/registry.ts";
import { type Scoped, type ScopeOptions, toScoped } from "../catalog/scopes.ts";
import type { Icon, Meta, PromptDescription } from "../protocol/model.ts";
import type { Context } from "../questions/context.ts";
import type { Content, Message, Messages } from "../results/content.ts";
import { UsageError } from "../support/usage-error.ts";

/** Describes one argument of a prompt. */
export interface PromptArgumentOptions {
  readonly title?: string;
  readonly description?: string;
  /** Default: false. */
  readonly required?: boolean;
  /** The values that a client suggests while the user types: a list, or a function of the typed prefix. */
  readonly complete?: Complete;
}

/** The arguments of a prompt by name. */
export type PromptArguments = { readonly [name: string]: PromptArgumentOptions };

/** The arguments of a prompt are strings; optional ones may be absent. */
export type PromptValues<Arguments> = {
  [Name in keyof Arguments]: Arguments[Name] extends { readonly required: true } ? string : string | undefined;
};

/** A value that `get` may return. A text or content becomes a message of the user. */
export type PromptReturn = string | Content | readonly Content[] | Message | readonly Message[] | Messages;

/** Options for `definePrompt`. */
export interface PromptOptions<Arguments extends PromptArguments, Name extends string = string>
  extends ScopeOptions,
    ToolsetOption {
  readonly name: Name;
  readonly title?: string;
  readonly description?: string;
  readonly icons?: readonly Icon[];
  readonly _meta?: Meta;
  readonly arguments?: Arguments;
  /** Earlier names. Clients can still use the prompt by them, and lists do not have them. */
  readonly was?: readonly string[];
  get(values: PromptValues<Arguments>, ctx: Context): PromptReturn | Promise<PromptReturn>;
}

/** Distinguishes a prompt from plain options; the name of this type is the hint in the compiler's error. */
export interface CreatedByDefinePrompt {
  readonly kind: "prompt";
}

/** A validated prompt. Create it with `definePrompt`. */
export interface Prompt<Arguments = unknown, Name extends string = string>
  extends CreatedByDefinePrompt,
    Scoped,
    Grouped {
  readonly name: Name;
  readonly description: PromptDescription;
  readonly arguments: ReadonlyMap<string, PromptArgumentOptions>;
  readonly was: readonly string[] | undefined;
  get(values: Readonly<Record<string, string | undefined>>, ctx: Context): unknown;
  /** Only for the type checker. */
  readonly types?: Arguments;
}

/**
 * Defines a prompt. @throws {UsageError} for an invalid name or option.
 *
 * @example
 * const review = definePrompt({
 *   name: "review",
 *   description: "Reviews a piece of code.",
 *   arguments: { code: { required: true }, language: { complete: ["go", "rust", "typescript"] } },
 *   get: ({ code, language = "any language" }) => `Review this code (${language}):\n\n${code}`,
 * });
 */
export function definePrompt<
  const Arguments extends PromptArguments = PromptArguments,
  const Name extends string = string,
>(options: PromptOptions<Arguments, Name>): Prompt<Arguments, Name> {
  const { name, arguments: declared, scopes: _scopes, paramScopes: _params, toolset, was, get, ...rest } = options;
  checkName(name, "a prompt");
  if (typeof get !== "function") throw new UsageError(`Prompt "${name}" has no get function.`);
  const known = new Map(Object.entries(declared ?? {}));
  for (const argument of known.keys()) checkName(argument, `an argument of prompt "${name}"`);
  return {
    kind: "prompt",
    name,
    description: {
      name,
      ...rest,
      ...(known.size === 0
        ? {}
        : { arguments: [...known].map(([key, { complete: _, ...described }]) => ({ name: key, ...described })) }),
    },
    arguments: known,
    toolset,
    was: checkAliases(was, name, `Prompt "${name}"`, (each) => checkName(each, "a prompt")),
    ...toScoped(options, () => known.keys(), `Prompt "${name}"`),
    get: get as Prompt["get"],
  };
}
