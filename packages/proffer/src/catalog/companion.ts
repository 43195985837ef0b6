import type { Context } from "../questions/context.ts";
import type { ListFunction } from "../resources/list.ts";
import type { Watch } from "../resources/watch.ts";
import { UsageError } from "../support/usage-error.ts";
import type { Complete } from "./completion.ts";

/** A function of any type. */
export type AnyFunction = (...values: never[]) => unknown;

/**
 * The names of a function's arguments: the properties of its only parameter if that is a destructured object. Types do
 * not contain the names of parameters, so otherwise it is any string, and the command line checks it.
 */
export type ArgumentName<Values extends readonly unknown[]> = Values extends readonly [infer First, ...infer Rest]
  ? First extends Context
    ? ArgumentName<Rest>
    : NonNullable<First> extends readonly unknown[] | string | number | boolean
      ? string
      : keyof NonNullable<First> & string
  : string;

/** Code about an exported function with `@prompt` or `@resource`. */
export interface CompanionOptions<Target extends AnyFunction> {
  /** Completions for the arguments of a prompt, or the variables of a template, by name. */
  readonly complete?: { readonly [Name in ArgumentName<Required<Parameters<Target>>>]?: Complete };
  /** Lists the resources of a template. Without it, clients see only the template. */
  readonly list?: ListFunction;
  /** Whether the resource exists; called with the function's own parameters when a client subscribes. */
  readonly exists?: (...values: Parameters<Target>) => boolean | Promise<boolean>;
  /** Reports changes of the resource, or of the template's resources, while a client listens. */
  readonly watch?: Watch;
}

/** Registered, because the module and the command line may have separate copies of Proffer. */
const COMPANION = Symbol.for("proffer.companion");

/**
 * Adds code to an exported function that a comment makes a prompt or a resource. Call it at the top level of a module.
 *
 * @example
 * /** An order. @resource orders://{id} *\/
 * export function order(id: string) {
 *   return orders.get(id);
 * }
 *
 * companion(order, {
 *   list: () => [...orders.keys()].map((id) => ({ uri: `orders://${id}` })),
 *   complete: { id: (typed) => [...orders.keys()].filter((id) => id.startsWith(typed)) },
 *   exists: (id) => orders.has(id),
 * });
 */
export function companion<Target extends AnyFunction>(target: Target, options: CompanionOptions<Target>): void {
  if (typeof target !== "function")
    throw new UsageError("companion() needs a function, then its options.", "wrong_use");
  Object.defineProperty(target, COMPANION, { value: options, configurable: true });
}

/** Returns the options that `companion` added to a function. */
export function companionOf(target: AnyFunction): CompanionOptions<AnyFunction> | undefined {
  return (target as { [COMPANION]?: CompanionOptions<AnyFunction> })[COMPANION];
}
