import type { Complete } from "../catalog/completion.ts";
import { checkName } from "../catalog/names.ts";
import type { Icon, Meta, PromptDescription } from "../protocol/model.ts";
import type { Context } from "../questions/context.ts";
import type { Content, Message, Messages } from "../results/content.ts";
import { UsageError } from "../support/usage-error.ts";

export interface PromptArgumentOptions {
  readonly title?: string;
  readonly description?: string;
  /** Default: false. */
  readonly required?: boolean;
  /** The values a client may offer while the user types: a list, or a function of what was typed. */
  readonly complete?: Complete;
}

type PromptArguments = { readonly [name: string]: PromptArgumentOptions };

/** Arguments of a prompt are strings; those not required may be absent. */
type PromptValues<Arguments> = {
  [Name in keyof Arguments]: Arguments[Name] extends { readonly required: true } ? string : string | undefined;
};

export type PromptReturn = string | Content | readonly Content[] | Message | readonly Message[] | Messages;

export interface PromptOptions<Arguments extends PromptArguments> {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly icons?: readonly Icon[];
  readonly _meta?: Meta;
  readonly arguments?: Arguments;
  get(values: PromptValues<Arguments>, ctx: Context): PromptReturn | Promise<PromptReturn>;
}

/** A prompt, checked and ready to be served. */
export interface Prompt {
  readonly name: string;
  readonly description: PromptDescription;
  readonly arguments: ReadonlyMap<string, PromptArgumentOptions>;
  get(values: Readonly<Record<string, string | undefined>>, ctx: Context): unknown;
}

/** Describes a prompt. @throws {UsageError} for a name or option that could not be served. */
export function definePrompt<const Arguments extends PromptArguments>(options: PromptOptions<Arguments>): Prompt {
  const { name, arguments: declared, get, ...rest } = options;
  checkName(name, "a prompt");
  if (typeof get !== "function") throw new UsageError("bad_option", `Prompt "${name}" has no get function.`);
  const known = new Map(Object.entries(declared ?? {}));
  for (const argument of known.keys()) checkName(argument, `an argument of prompt "${name}"`);
  return {
    name,
    description: {
      name,
      ...rest,
      ...(known.size === 0
        ? {}
        : { arguments: [...known].map(([key, { complete: _, ...described }]) => ({ name: key, ...described })) }),
    },
    arguments: known,
    get: get as Prompt["get"],
  };
}
